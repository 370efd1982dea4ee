// Finds the world of a rank.
#include "model/world.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace muster::model {

const World& world_of(std::span<const World> worlds, base::Rank rank) {
  CHECK(!worlds.empty());
  const auto after = std::ranges::upper_bound(worlds, rank, {}, &World::first);
  return after == worlds.begin() ? worlds.front() : *(after - 1);
}

}  // namespace muster::model
