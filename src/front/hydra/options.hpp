// The options of MPICH's and Intel MPI's mpiexec.
#pragma once

#include <span>

#include "front/hydra/draft.hpp"

namespace muster::front {

// From src/pm/hydra/mpiexec/options.c of mpich's main branch.
[[nodiscard]] std::span<const Option<HydraDraft>> hydra_table();
[[nodiscard]] OptionTexts hydra_options();

}  // namespace muster::front
