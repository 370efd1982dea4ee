// check_slurm: what is wrong with the hosts that a run is to ask Slurm for. Pure.
#pragma once

#include "base/error.hpp"
#include "front/run/options.hpp"

namespace muster::front {

// Fault::usage.
[[nodiscard]] base::Result<void> check_slurm(const RunDraft& draft);

}  // namespace muster::front
