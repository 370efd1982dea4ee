// The script that sbatch takes, and the words of salloc. Pure.
#pragma once

#include <string>

#include "batch/system.hpp"
#include "batch/wish.hpp"

namespace muster::batch {

[[nodiscard]] std::string slurm_script(const Wish& wish);

// A node that is lost leaves the other ones: the run says which one it was.
[[nodiscard]] Words slurm_allocation(const Wish& wish, const Words& command);

}  // namespace muster::batch
