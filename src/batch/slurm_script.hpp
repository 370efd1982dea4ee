// The script that sbatch takes. Pure.
#pragma once

#include <string>

#include "batch/wish.hpp"

namespace muster::batch {

[[nodiscard]] std::string slurm_script(const Wish& wish);

}  // namespace muster::batch
