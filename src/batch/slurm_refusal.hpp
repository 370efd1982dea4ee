// slurm_refused: why a command of Slurm has not done what it was asked for. Pure.
#pragma once

#include <string_view>

#include "batch/system.hpp"

namespace muster::batch {

// `said`: on its stderr.
[[nodiscard]] Refusal slurm_refused(std::string_view said);

}  // namespace muster::batch
