// What sbatch, squeue and sacct answer. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "batch/sight.hpp"
#include "batch/system.hpp"

namespace muster::batch {

// "123" or "123;cluster"; empty for what is no id.
[[nodiscard]] std::string slurm_id(std::string_view said);

// Of `sbatch --test-only`, on its stderr: "sbatch: Job 12 to start at ... in partition main".
[[nodiscard]] std::string slurm_tested(std::string_view said, model::Utc now);

// Of squeue and sacct, times with their zone (squeue(1), ENVIRONMENT VARIABLES).
inline constexpr std::string_view kSlurmTimes = "SLURM_TIME_FORMAT=%FT%T%z";

// Lines "ID|STATE|REASON|START|NODES|HOST OF THE SCRIPT|END" and "ID|STATE|CODE:SIGNAL|NODES|END".
[[nodiscard]] std::vector<Sight> slurm_listed(std::string_view said);
[[nodiscard]] std::vector<Sight> slurm_past(std::string_view said);

// Of salloc, on its stderr.
[[nodiscard]] AllocationNews slurm_allocating(std::string_view said);

}  // namespace muster::batch
