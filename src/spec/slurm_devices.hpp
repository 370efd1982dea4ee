// What `scontrol show job -d` says of the GPUs of a job. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

// How many each of these nodes has for the job, from lines such as
//   Nodes=node[1-2] CPU_IDs=0 Mem=1000 GRES=gpu:a100:2(IDX:0,3),mps:100
// Slurm: src/common/job_resources and src/api/job_info.c. Nothing unless all have some.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> slurm_devices(
    std::string_view said, const std::vector<std::string>& names);

}  // namespace muster::spec
