// Grid Engine from outside: qsub, qstat, qacct, qdel.
#pragma once

#include "batch/system.hpp"

namespace muster::batch {

extern const System kGridEngine;

}  // namespace muster::batch
