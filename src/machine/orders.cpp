// Programs, tasks and their variables, from spec and plan.
#include "machine/orders.hpp"

#include <utility>

#include "plan/local_rank_words.hpp"

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

// Nothing when they are those of its app.
std::vector<std::string> own_words(const model::App& app, std::uint32_t local_rank) {
  if (app.local_rank_words.count == 0) return {};
  auto words = plan::with_local_rank(app.command, app.local_rank_words, local_rank);
  if (words == app.command) words.clear();
  return words;
}

}  // namespace

wire::Prepare orders(const OrdersFor& world, base::NodeIndex node) {
  const model::PlannedNode& planned = world.plan.nodes[node.value];
  const std::vector<plan::Forwarded>& kept = world.kept.on(planned.host);
  wire::Prepare made;
  for (std::size_t i = 0; i < world.spec.apps.size(); ++i) {
    const model::App& app = world.spec.apps[i];
    made.apps.push_back(
        {app.command, app.workdir, app.path, names_and_values(kept[i].kept), app.tries_workdir});
  }
  made.clean = world.spec.clean_env;
  made.error_files = world.spec.torch.has_value();
  made.python_hook = world.spec.python_errors;
  made.launchers = world.spec.launchers;
  made.folders = world.spec.folders;
  made.terminal = world.spec.terminal;
  made.tasks.reserve(planned.ranks.size());
  for (const base::Rank rank : planned.ranks) {
    const model::PlannedRank& own = world.plan.ranks[rank.value];
    const std::uint32_t app = own.app;
    made.tasks.push_back({base::Rank(world.first.value + rank.value), app,
                          names_and_values(plan::dialects(world.plan, world.where, kept[app],
                                                          world.job, world.spec, rank)),
                          false, world.plan.cpus_of(rank),
                          own_words(world.spec.apps[app], own.local_rank)});
  }
  return made;
}

}  // namespace muster::machine
