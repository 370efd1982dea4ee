// The arguments of MPICH's and Intel MPI's mpiexec in, a checked JobSpec out.
#pragma once

#include "base/error.hpp"
#include "front/front.hpp"

namespace muster::front {

// Options may have any number of dashes, in any case, with '=' or a blank before the value; each
// may stand once. Options end at the program; ':' parts programs (mpich
// src/pm/hydra/lib/utils/args.c, mpiexec/get_parameters.c). Reads hostfile and configuration file.
[[nodiscard]] base::Result<Reading> read_hydra(const Call& call);

}  // namespace muster::front
