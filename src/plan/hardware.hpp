// Hardware: one host's topology as a job may use it, without what affinity and --cpu-set leave out.
#pragma once

#include <map>
#include <memory>

#include "base/error.hpp"
#include "model/inventory.hpp"
#include "model/mapping.hpp"

namespace muster::plan {

struct Hardware {
  struct Object {
    model::CpuSet set;       // never empty
    std::uint32_t cpus = 0;  // cores, or hardware threads where these count as cpus; at least 1
  };
  std::array<std::vector<Object>, model::kLevels> objects;
  Object whole;  // all that may be used

  [[nodiscard]] const std::vector<Object>& at(model::Level level) const {
    return objects[static_cast<std::size_t>(level)];
  }
};

// NUMA nodes without cpus, or with the very cpus of the one before (high-bandwidth memory), are no
// places for ranks. Fault::usage when --cpu-set names what is not there or leaves nothing.
[[nodiscard]] base::Result<Hardware> usable_hardware(const model::Topology& topology,
                                                     const model::Mapping& mapping,
                                                     const std::string& host);

// The same for some cpus of the machine, at least one.
[[nodiscard]] Hardware hardware_within(const model::Topology& topology, const model::CpuSet& cpus,
                                       const model::Mapping& mapping);

// The set that a number of --cpu-set, --cpu-list or a rankfile means: a core in logical order, or a
// hardware thread where these count (Open MPI 4.1, opal/mca/hwloc/base/hwloc_base_util.c). Empty:
// there is no such one.
[[nodiscard]] model::CpuSet numbered_cpu(const model::Topology& topology, bool hwthread_cpus,
                                         std::uint32_t number);

// The hardware of each host, worked out once for each topology.
class HardwareOfHosts {
 public:
  // Fault::usage, too, when the host's topology is not known.
  [[nodiscard]] base::Result<const Hardware*> find(const model::Host& host,
                                                   const model::Mapping& mapping);

 private:
  std::map<const model::Topology*, std::unique_ptr<const Hardware>> known_;
};

}  // namespace muster::plan
