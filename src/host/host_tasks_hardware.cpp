// What is told of this host: its hardware before the start, and what it lacked when a rank ended.
#include "host/host_tasks.hpp"
#include "machine/memory_kills.hpp"
#include "probe/claims.hpp"
#include "probe/devices.hpp"
#include "probe/memory.hpp"
#include "probe/near_devices.hpp"
#include "probe/topology.hpp"

namespace muster::host {

void HostTasks::perform(machine::ReadTopology&) {
  devices_.await(probe::devices("", own_environment_), [this] {
    feed(machine::TopologyRead{probe::read_topology().map([this](model::Topology topology) {
      topology.claimed = probe::claimed_by_others(topology.allowed);
      topology.devices = probe::near_devices(own_environment_, topology, "", devices_.text());
      return model::SharedTopology{std::make_shared<const model::Topology>(std::move(topology))};
    })});
  });
}

model::Circumstances HostTasks::look_around() const {
  model::Circumstances around;
  around.shared = probe::shared_memory();
  around.gpu = probe::gpu_model();
  if (!memory_before_) return around;
  around.memory = machine::memory_kills(*memory_before_, probe::memory_counters());
  if (around.memory && !around.memory->group.empty()) {
    around.memory->limit = probe::memory_limit(around.memory->group);
  }
  return around;
}

}  // namespace muster::host
