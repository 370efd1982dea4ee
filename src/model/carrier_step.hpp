// The carrier of a host of a Slurm job: a step of that job (srun) starts its agent, and talks to it
// over stdio.
#pragma once

#include "model/carrier.hpp"

namespace muster::model {

inline constexpr Carrier kStep = {.word = "srun", .opened = true, .tells_identity = true};

}  // namespace muster::model
