// The NUMA nodes of this machine, as the kernel's own files tell of them.
#pragma once

#include <string>
#include <vector>

#include "model/memory_policy.hpp"

namespace muster::probe {

// Those that have memory which this process may use, in ascending order; none where the kernel says
// nothing of NUMA nodes. Reads /sys and /proc below `root` ("" is this machine).
[[nodiscard]] std::vector<model::NumaNode> numa_nodes(const std::string& root = "");

// Those that have cpus, with memory or without, whatever this process may use of either.
[[nodiscard]] std::vector<model::NumaNode> nodes_with_cpus(const std::string& root = "");

}  // namespace muster::probe
