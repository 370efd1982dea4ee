// Binding: the cpus of each rank.
#pragma once

#include <unordered_map>

#include "plan/dealing.hpp"
#include "plan/hardware.hpp"

namespace muster::plan {

// The different sets of a plan, each once.
class SetTable {
 public:
  [[nodiscard]] std::uint32_t index_of(const model::CpuSet& set);
  [[nodiscard]] std::vector<model::CpuSet> take() { return std::move(sets_); }

 private:
  struct Hash {
    std::size_t operator()(const model::CpuSet& set) const noexcept;
  };
  std::vector<model::CpuSet> sets_;
  std::unordered_map<model::CpuSet, std::uint32_t, Hash> index_;
};

// Binds assignments to objects of mapping.bind_level, host by host in the order of dealing, as Open
// MPI does (orte/mca/rmaps/base/rmaps_base_binding.c): mapped by that very level, a rank is bound
// to its object, or when that is full to the next one; else to the least used object that shares a
// cpu with the rank's own, and for cpus_per_rank to the ones after it. An object is full with one
// rank on each of its cpus; more are Fault::usage when the user asked for the binding without
// overload-allowed, and leave the whole job unbound when it was a default.
[[nodiscard]] base::Result<void> bind_to_objects(const model::Mapping& mapping,
                                                 const model::Inventory& inventory,
                                                 HardwareOfHosts& hardware,
                                                 std::vector<Assignment>& assignments,
                                                 SetTable& sets);

// The same for the ranks of one host, given the objects that they were dealt to (kNoObject: none).
// No sets: a default binding that cannot be had.
[[nodiscard]] base::Result<std::vector<model::CpuSet>> bind_on_host(
    const model::Mapping& mapping, const Hardware& hardware, const std::string& host,
    const std::vector<std::uint32_t>& objects);

// Binds by local rank, once the ranks have their order: cpu_list, rr, user, rankfile, and Hydra's
// objects. `local` counts the assignments of one host from 0.
[[nodiscard]] base::Result<void> bind_by_local_rank(const model::JobSpec& spec,
                                                    const model::Inventory& inventory,
                                                    HardwareOfHosts& hardware,
                                                    std::vector<Assignment>& assignments,
                                                    SetTable& sets);

// Hydra's sets for -bind-to and -map-by, of which local rank k takes number k modulo their count
// (src/pm/hydra/lib/tools/topo/hwloc/topo_hwloc.c, handle_bitmap_binding): places of map_width
// objects of the mapping's level in turn, and within each the next bind_width objects of
// bind_level. Fault::usage when the host lacks such objects, or so many.
[[nodiscard]] base::Result<std::vector<model::CpuSet>> hydra_sets(const Hardware& hardware,
                                                                  const model::Mapping& mapping,
                                                                  const std::string& host);

// What Open MPI 4.1 maps and binds by if it is not told (orte/mca/rmaps/base/rmaps_base_map_job.c):
// up to two ranks by core, more by NUMA node, else package; an object that was given for mapping is
// what is bound to as well; nothing when there are more ranks than slots, and what a rankfile or a
// list of cpus says counts. A change to `mapping`
// that is no wish of the user: *_given stay false.
[[nodiscard]] model::Mapping default_binding(model::Mapping mapping, std::uint64_t ranks,
                                             bool oversubscribed, const Hardware& hardware);

}  // namespace muster::plan
