// What of the cpus near its GPU a rank of torchrun's --numa-binding gets.
#pragma once

#include <string>
#include <vector>

#include "plan/hardware.hpp"

namespace muster::plan {

// `near`: of each GPU of the host, in their order, the cpus of its NUMA node that may be used. As
// torch 2.9 has it (torch/numa/binding.py): the node; all of its socket; a part of the node's cores
// that no other GPU has, one more for the first GPUs where they cannot be divided evenly; or one of
// the node's largest caches, those with most cpus first, in turn.
//
// Fault::usage where a node has fewer cores than GPUs.
[[nodiscard]] base::Result<std::vector<model::CpuSet>> near_gpus(
    model::NearGpu what, const Hardware& hardware, const std::string& host,
    const std::vector<model::CpuSet>& near);

}  // namespace muster::plan
