// MemoryOfTasks: the memory policy of each task of a world, once the kernel is known to take it.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "machine/host_orders.hpp"

namespace muster::host {

struct MemoryOfTasks {
  std::vector<model::MemoryPolicy> policies;  // one for each task, or none: they inherit muster's
  std::string refused;  // why the kernel takes none; empty: it does, or nobody shall be told

  // Looks at this machine's NUMA nodes and tries each policy in this process, which keeps its own.
  // Fault::usage when a node is missing here; Fault::cannot_start when the kernel refuses and the
  // ranks shall not run without.
  [[nodiscard]] static base::Result<MemoryOfTasks> of(const machine::HostOrders& orders);
};

}  // namespace muster::host
