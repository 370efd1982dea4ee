// Reads a spawn's wishes, finds room for its ranks, and makes their world's own plan.
#include "machine/spawn_plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.hpp"
#include "plan/spawned.hpp"

namespace muster::machine {

using base::Fault;
using base::NodeIndex;
using base::Rank;
using base::Result;

namespace {

std::vector<std::pair<std::string, std::string>> pairs_of(
    const std::vector<wire::NameValue>& info) {
  std::vector<std::pair<std::string, std::string>> pairs;
  pairs.reserve(info.size());
  for (const wire::NameValue& one : info) pairs.emplace_back(one.name, one.value);
  return pairs;
}

// Relative folders are meant from where the job's ranks are.
std::string below(const std::string& folder, const std::string& wanted) {
  if (wanted.empty()) return folder;
  return wanted.front() == '/' ? wanted : folder + "/" + wanted;
}

model::App app_of(const model::App& root, const wire::SpawnApp& asked,
                  const plan::SpawnWish& wish) {
  model::App app = root;
  app.command = asked.command;
  app.python_program.clear();  // of which program here, only the spawner knows
  app.ranks = asked.ranks;
  app.workdir = below(app.workdir, wish.workdir);
  if (!wish.path.empty()) app.path = wish.path;
  return app;
}

Result<void> check_count(std::uint64_t ranks_before, std::uint64_t ranks_after) {
  if (ranks_after > model::kRanksMax) {
    return base::fail(Fault::no_slots, "a run has at most 1,000,000 ranks, ended ones included",
                      "{} ranks would be too many", ranks_after);
  }
  if (ranks_after == ranks_before) return base::fail(Fault::usage, {}, "no ranks were requested");
  return {};
}

// Fills in the programs and the size of the world.
Result<std::vector<plan::SpawnWish>> read_wishes(const SpawnGround& ground,
                                                 const wire::Spawn& order, PlannedSpawn& made) {
  std::vector<plan::SpawnWish> wishes;
  const std::uint64_t before = ground.plan.ranks.size();
  std::uint64_t after = before;
  for (const wire::SpawnApp& one : order.apps) {
    if (one.command.empty() || one.command.front().empty()) {
      return base::fail(Fault::usage, {}, "the program is an empty word");
    }
    auto wish = plan::spawn_wish(pairs_of(one.info), one.ranks);
    if (!wish) return tl::unexpected(wish.error());
    model::App app = app_of(ground.spec.apps[made.placed.root], one, *wish);
    app.tries_workdir = app.tries_workdir || order.pmix;  // the library is Open MPI
    made.apps.push_back(std::move(app));
    after += one.ranks;
    wishes.push_back(std::move(*wish));
  }
  if (const auto sane = check_count(before, after); !sane) return tl::unexpected(sane.error());
  made.placed.world.size = static_cast<std::uint32_t>(after - before);
  return wishes;
}

// Hosts that would have to join get the indices after those of all nodes.
std::vector<plan::SpawnCapacity> capacities_of(const SpawnGround& ground) {
  std::vector<plan::SpawnCapacity> capacities;
  for (std::uint32_t i = 0; i < ground.sites.size(); ++i) {
    if (ground.sites[i].use == SpawnSite::Use::none) continue;
    capacities.push_back({NodeIndex(i), &ground.plan.nodes[i].host, ground.sites[i].busy});
  }
  std::size_t next = ground.sites.size();
  for (const model::Host& host : ground.plan.spare) {
    capacities.push_back({NodeIndex(next++), &host, 0});
  }
  return capacities;
}

void note_needs(const SpawnGround& ground, const std::vector<NodeIndex>& nodes,
                PlannedSpawn& made) {
  for (const NodeIndex node : nodes) {
    if (node.value >= ground.sites.size()) {
      made.called.insert(node.value - ground.sites.size());
    } else if (ground.sites[node.value].use == SpawnSite::Use::once_greeted) {
      made.to_greet.insert(node);
    }
  }
}

// `nodes`: of each rank.
void settle(const SpawnGround& ground, const std::vector<NodeIndex>& nodes, PlannedSpawn& made) {
  std::vector<NodeIndex>& used = made.placed.nodes;
  used = nodes;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  model::Plan& plan = made.plan;
  plan.universe = ground.plan.universe;
  for (const NodeIndex node : used) plan.nodes.push_back({ground.plan.nodes[node.value].host, {}});
  std::uint32_t app = 0;
  std::uint32_t left = made.apps.front().ranks.value_or(0);
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    while (left == 0) left = made.apps[++app].ranks.value_or(0);
    --left;
    const auto at = std::ranges::lower_bound(used, nodes[rank]) - used.begin();
    auto& there = plan.nodes[static_cast<std::size_t>(at)].ranks;
    plan.ranks.push_back(
        {NodeIndex(static_cast<std::uint64_t>(at)), static_cast<std::uint32_t>(there.size()), app});
    there.emplace_back(rank);
  }
  made.placed.mapping = mapping_for(ground.spec, plan);
}

PlacedWorld unplaced(const SpawnGround& ground, Rank spawner) {
  const auto number = static_cast<std::uint32_t>(ground.wireup.worlds() + 1);
  const PlacedWorld& parent = ground.wireup.world_of(spawner);
  const bool of_the_first = parent.world.number == 1;
  return {{number, Rank(ground.plan.ranks.size()), 0},
          fmt::format("muster_{}_{}", ground.job, number),
          {},
          of_the_first ? ground.plan.ranks[spawner.value].app : parent.root};
}

}  // namespace

Result<PlannedSpawn> plan_spawn(const SpawnGround& ground, const wire::Spawn& order) {
  CHECK(ground.sites.size() == ground.plan.nodes.size());
  CHECK(order.rank.value < ground.plan.ranks.size());
  PlannedSpawn made{unplaced(ground, order.rank), {}, {}};
  const auto wishes = read_wishes(ground, order, made);
  if (!wishes) return tl::unexpected(wishes.error());
  const auto nodes = plan::place_spawned(capacities_of(ground), *wishes);
  if (!nodes) return tl::unexpected(nodes.error());
  CHECK(nodes->size() == made.placed.world.size);
  note_needs(ground, *nodes, made);
  if (!made.needs_hosts()) settle(ground, *nodes, made);
  return made;
}

}  // namespace muster::machine
