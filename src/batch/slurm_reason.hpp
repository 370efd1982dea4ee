// slurm_reason: why a job waits, in Slurm's word and, where somebody has to do something, in ours.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::batch {

// "Resources"; "PartitionDown: the partition ...". `reason`: of squeue, with what follows it there.
[[nodiscard]] std::string slurm_reason(std::string_view reason, std::string_view id);

}  // namespace muster::batch
