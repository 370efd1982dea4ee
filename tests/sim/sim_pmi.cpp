// The fences of one host, set by the clock.
#include "sim/sim_pmi.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace muster::sim {

namespace {
constexpr Duration kPmiPace(5);
}

void SimPmi::begin() {
  ++life_;
  worlds_.clear();
}

// A number is given again when hosts have declined the world that had it.
void SimPmi::add(const machine::HostOrders& orders) {
  World world;
  for (const machine::TaskOrder& task : orders.tasks) world.ranks.push_back(task.rank);
  worlds_[orders.wireup.world] = std::move(world);
}

void SimPmi::joined(base::Rank rank) {
  for (auto& [number, world] : worlds_) {
    if (std::ranges::find(world.ranks, rank) == world.ranks.end()) continue;
    world.here.insert(rank);
    if (world.here.size() == world.ranks.size()) fence(number);
  }
}

// Only when all ranks of this host take part.
void SimPmi::fence(std::uint32_t number) {
  World& world = worlds_.at(number);
  if (!std::ranges::all_of(world.ranks, events_.alive)) return;
  world.waits = true;
  events_.up(
      {world.fenced, fmt::format("[{}:{}]", world.ranks.front().value, world.fenced), number});
}

void SimPmi::hear(const wire::FenceOut& answer) {
  const auto found = worlds_.find(answer.world);
  if (found == worlds_.end() || !found->second.waits) {
    return events_.complain("a fence is answered that nobody waits for");
  }
  World& world = found->second;
  if (answer.sequence != world.fenced) events_.complain("another fence is answered");
  world.waits = false;
  if (++world.fenced == fences_) return;
  agenda_.after(kPmiPace, [this, number = answer.world, life = life_] {
    if (life == life_) fence(number);
  });
}

}  // namespace muster::sim
