// Draws each of their fields.
#include "talk/draws.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>

#include "model/carriers.hpp"

namespace muster::talk {

using sim::Dice;

model::JobSpec draw_spec(Dice& dice, const std::string& program) {
  using namespace std::chrono_literals;
  constexpr std::array kWireups = {model::Wireup::automatic, model::Wireup::pmi1,
                                   model::Wireup::pmix, model::Wireup::none};
  model::JobSpec spec;
  spec.apps.front().command = {"sh", "-c", dice.chance(0.5) ? "exit 0" : "sleep 0.1; echo out"};
  spec.wireup = kWireups[dice.between(0, kWireups.size() - 1)];
  spec.carrier.command = {program, "part"};
  spec.carrier.patience = 2s;
  spec.grace = base::Duration(dice.between(0, 200));
  spec.lease = base::Duration(dice.between(800, 3000));
  spec.max_restarts = dice.chance(0.3) ? 1 : 0;
  if (dice.chance(0.2)) spec.timeout = base::Duration(dice.between(100, 1000));
  if (dice.chance(0.2)) spec.init_timeout = base::Duration(dice.between(50, 500));
  spec.state_at_timeout = dice.chance(0.5);
  if (dice.chance(0.1)) spec.gloo = model::GlooSpec{"lo"};
  spec.verbose = dice.chance(0.2);
  return spec;
}

namespace {

constexpr std::uint32_t kCores = 4;

// Of two packages with two cores each.
model::SharedTopology four_cores() {
  using model::CpuSet;
  using model::Level;
  model::Topology topology;
  for (std::uint32_t cpu = 0; cpu < kCores; ++cpu) {
    topology.at(Level::hwthread).push_back(CpuSet::of(cpu));
    topology.at(Level::core).push_back(CpuSet::of(cpu));
  }
  topology.at(Level::package) = {CpuSet::range(0, 1), CpuSet::range(2, 3)};
  topology.at(Level::machine) = {CpuSet::range(0, 3)};
  topology.allowed = CpuSet::range(0, 3);
  return {std::make_shared<const model::Topology>(std::move(topology))};
}

// Ranks on cores in turn. Those of this machine are not bound: other jobs there are real.
void bind_ranks(Dice& dice, model::Plan& plan) {
  const model::SharedTopology topology = four_cores();
  plan.mapping.bind_to = dice.chance(0.7) ? model::BindTo::object : model::BindTo::cpu_list;
  plan.mapping.bind_level = dice.chance(0.5) ? model::Level::core : model::Level::hwthread;
  for (std::uint32_t cpu = 0; cpu < kCores; ++cpu) {
    plan.sets.push_back(model::CpuSet::of(cpu));
    if (plan.mapping.bind_to == model::BindTo::cpu_list) plan.mapping.cpu_list.push_back(cpu);
  }
  for (model::PlannedNode& node : plan.nodes) {
    if (node.host.carrier == model::kLocal) continue;
    node.host.topology = topology;
    for (const base::Rank rank : node.ranks) {
      model::PlannedRank& planned = plan.ranks[rank.value];
      if (dice.chance(0.9)) planned.binding = planned.local_rank % kCores;
    }
  }
}

}  // namespace

model::Plan draw_plan(Dice& dice) {
  constexpr std::array kCarriers = {model::kJoined, model::kJoined, model::kOpened, model::kLocal};
  model::Plan plan;
  for (std::uint32_t i = dice.between(1, 3); i > 0; --i) {
    model::PlannedNode node;
    node.host.name = fmt::format("host{}", i);
    node.host.carrier = kCarriers[dice.between(0, kCarriers.size() - 1)];
    const bool has_here = std::ranges::any_of(
        plan.nodes, [](const auto& one) { return one.host.carrier == model::kLocal; });
    if (has_here && node.host.carrier == model::kLocal) node.host.carrier = model::kJoined;
    const base::NodeIndex index(plan.nodes.size());
    for (std::uint32_t local = 0; local < dice.between(1, 3); ++local) {
      node.ranks.emplace_back(plan.ranks.size());
      plan.ranks.push_back({index, local});
    }
    plan.nodes.push_back(std::move(node));
  }
  if (dice.chance(0.3)) {
    model::Host& host = plan.spare.emplace_back();
    host.name = "spare";
    host.carrier = model::kOpened;
    host.slots = 2;
  }
  if (dice.chance(0.3)) bind_ranks(dice, plan);
  plan.universe = static_cast<std::uint32_t>(plan.ranks.size()) + 2;
  return plan;
}

}  // namespace muster::talk
