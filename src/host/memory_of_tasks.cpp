// Asks the kernel before any task is started.
#include "host/memory_of_tasks.hpp"

#include <cstring>

#include "plan/memory.hpp"
#include "probe/affinity.hpp"
#include "probe/numa.hpp"
#include "process/memory_policy.hpp"

namespace muster::host {

base::Result<MemoryOfTasks> MemoryOfTasks::of(const machine::HostOrders& orders) {
  const model::MemoryWish& wish = orders.memory;
  MemoryOfTasks made;
  if (wish.mode == model::MemoryMode::inherited) return made;
  const std::vector<model::NumaNode> nodes = probe::numa_nodes();
  const model::CpuSet everywhere = probe::own_cpus();
  for (const machine::TaskOrder& task : orders.tasks) {
    auto policy = plan::memory_policy(wish, nodes, task.cpus.empty() ? everywhere : task.cpus);
    if (!policy) return tl::unexpected(std::move(policy.error()));
    const bool is_new = made.policies.empty() || *policy != made.policies.back();
    if (const int error = is_new ? process::try_memory_policy(*policy) : 0; error != 0) {
      if (wish.if_refused == model::IfRefused::fail) {
        return base::fail(base::Fault::cannot_start,
                          "a container needs the right to it (CAP_SYS_NICE, or a seccomp profile "
                          "that allows set_mempolicy); :if-supported runs the ranks without",
                          "memory cannot be bound: the kernel refuses it ({})",
                          std::strerror(error));
      }
      made.policies.clear();
      if (wish.if_refused == model::IfRefused::tell) made.refused = std::strerror(error);
      return made;
    }
    made.policies.push_back(std::move(*policy));
  }
  return made;
}

}  // namespace muster::host
