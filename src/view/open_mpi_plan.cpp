// Writes what Open MPI's display options show.
#include "view/open_mpi_plan.hpp"

#include <fmt/format.h>

namespace muster::view {
namespace {

const std::string& name_of(const model::Host& host, const OpenMpiNames& names) {
  return host.carrier.is_this_machine() && !names.here.empty() ? names.here : host.name;
}

}  // namespace

std::string open_mpi_allocation(const model::Inventory& inventory, const OpenMpiNames& names) {
  std::string text = "\n======================   ALLOCATED NODES   ======================\n";
  for (const model::Host& host : inventory.hosts) {
    const bool here = host.carrier.is_this_machine();
    text += fmt::format("\t{}: flags=0x{} slots={} max_slots={} slots_inuse=0 state={}\n",
                        name_of(host, names), here ? "11" : "10", host.slots,
                        host.max_slots.value_or(0), here ? "UP" : "UNKNOWN");
  }
  return text + "=================================================================\n";
}

std::string open_mpi_map(const model::Plan& plan, const OpenMpiNames& names,
                         const std::function<std::string(base::Rank)>& bound) {
  std::string text = fmt::format(
      " Data for JOB [{},1] offset 0 Total slots allocated {}\n\n"
      " ========================   JOB MAP   ========================\n",
      names.job_family, plan.universe);
  for (const model::PlannedNode& node : plan.nodes) {
    text += fmt::format("\n Data for node: {}\tNum slots: {}\tMax slots: {}\tNum procs: {}\n",
                        name_of(node.host, names), node.host.slots, node.host.max_slots.value_or(0),
                        node.ranks.size());
    for (const base::Rank rank : node.ranks) {
      const std::string words = bound(rank);
      text += fmt::format(" \tProcess OMPI jobid: [{},1] App: {} Process rank: {} Bound: {}\n",
                          names.job_family, plan.ranks[rank.value].app, rank.value,
                          words.empty() ? "N/A" : words);
    }
  }
  return text + "\n =============================================================\n";
}

std::string open_mpi_binding(const std::string& host, std::int32_t pid, base::Rank rank,
                             const std::string& bound) {
  const std::string words =
      bound.empty() ? "is not bound (or bound to all available processors)" : "bound to " + bound;
  return fmt::format("[{}:{}] MCW rank {} {}\n", host, pid, rank.value, words);
}

}  // namespace muster::view
