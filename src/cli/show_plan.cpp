// Maps and allocations go to stdout, bindings to stderr, as Open MPI's mpirun prints them.
#include "cli/show_plan.hpp"

#include <cstdio>
#include <unistd.h>

#include "cli/speak.hpp"
#include "plan/report_binding.hpp"
#include "probe/probe.hpp"
#include "view/open_mpi_plan.hpp"

namespace muster::cli {
namespace {

constexpr std::uint32_t kFamilies = 65536;

// "" where the rank is not bound, or the hardware of its host is not known.
std::string binding_of(const model::Plan& plan, base::Rank rank) {
  const model::PlannedRank& planned = plan.ranks[rank.value];
  const auto& topology = plan.nodes[planned.node.value].host.topology;
  if (planned.binding == model::kUnbound || !topology) return "";
  std::string bound = plan::report_binding(*topology, plan.sets[planned.binding]);
  return bound.starts_with("is not bound") ? "" : bound;
}

// No rank has a process yet: our own process id stands for theirs.
void report_bindings(const model::Plan& plan) {
  for (const model::PlannedNode& node : plan.nodes) {
    for (const base::Rank rank : node.ranks) {
      say(view::open_mpi_binding(node.host.name, ::getpid(), rank, binding_of(plan, rank)));
    }
  }
}

}  // namespace

int show_plan(const front::Shown& shown, const model::Inventory& inventory,
              const model::Plan& plan) {
  const view::OpenMpiNames names{probe::hostname(),
                                 static_cast<std::uint32_t>(::getpid()) % kFamilies};
  std::string text;
  if (shown.allocation) text += view::open_mpi_allocation(inventory, names);
  if (shown.map) {
    text +=
        view::open_mpi_map(plan, names, [&](base::Rank rank) { return binding_of(plan, rank); });
  }
  if (shown.bindings) report_bindings(plan);
  return print(text);
}

}  // namespace muster::cli
