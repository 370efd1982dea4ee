// Programs, tasks and their variables, from spec and plan.
#include "machine/orders.hpp"

#include <utility>

namespace muster::machine {

namespace {

std::vector<wire::NameValue> names_and_values(std::vector<model::Variable> variables) {
  std::vector<wire::NameValue> pairs;
  pairs.reserve(variables.size());
  for (model::Variable& one : variables) {
    pairs.push_back({std::move(one.name), std::move(one.value)});
  }
  return pairs;
}

}  // namespace

wire::Prepare orders(const OrdersFor& world, base::NodeIndex node) {
  const model::PlannedNode& planned = world.plan.nodes[node.value];
  const bool remote = planned.host.reach == model::Reach::ssh;
  const std::vector<plan::Forwarded>& kept = remote ? world.kept_remote : world.kept_here;
  wire::Prepare made;
  for (std::size_t i = 0; i < world.spec.apps.size(); ++i) {
    const model::App& app = world.spec.apps[i];
    made.apps.push_back(
        {app.command, app.workdir, app.path, names_and_values(kept[i].kept), app.tries_workdir});
  }
  made.clean = world.spec.clean_env;
  made.tasks.reserve(planned.ranks.size());
  for (const base::Rank rank : planned.ranks) {
    const std::uint32_t app = world.plan.ranks[rank.value].app;
    made.tasks.push_back({base::Rank(world.first.value + rank.value), app,
                          names_and_values(plan::dialects(world.plan, world.where, kept[app],
                                                          world.job, world.spec, rank)),
                          false, world.plan.cpus_of(rank)});
  }
  return made;
}

}  // namespace muster::machine
