// Draws each of their fields.
#include "talk/draws.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

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
  plan.universe = static_cast<std::uint32_t>(plan.ranks.size()) + 2;
  return plan;
}

}  // namespace muster::talk
