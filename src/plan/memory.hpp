// Memory: the NUMA nodes of each rank's memory, of those that its host has.
#pragma once

#include <span>
#include <string>

#include "base/error.hpp"
#include "model/memory_policy.hpp"
#include "model/plan.hpp"

namespace muster::plan {

// For a rank that may run on `cpus`, on a host with these nodes, in ascending order; none: the host
// does not tell of them, and nothing is checked. Where a rank's cpus belong to no node, its own
// nodes are all. Fault::usage, which does not name the host, when a node of the wish is not there.
[[nodiscard]] base::Result<model::MemoryPolicy> memory_policy(
    const model::MemoryWish& wish, std::span<const model::NumaNode> nodes,
    const model::CpuSet& cpus);

// What can be said of a plan before its hosts are contacted. Fault::usage when a host that is known
// lacks a node of the wish. Else one line when a policy changes nothing, since the hosts have one
// node only: which host, and how many more; empty: nothing to say.
[[nodiscard]] base::Result<std::string> foreseen_memory(const model::MemoryWish& wish,
                                                        const model::Plan& plan);

}  // namespace muster::plan
