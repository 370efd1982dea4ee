// Ranks of the job as it was started need no more than their number.
#include "view/rank_name.hpp"

#include <fmt/format.h>

namespace muster::view {

std::string rank_number(std::span<const model::World> worlds, base::Rank rank) {
  if (worlds.size() < 2) return std::to_string(rank.value);
  const model::World& world = model::world_of(worlds, rank);
  if (world.number == 1) return std::to_string(rank.value);
  return fmt::format("{} of spawned job {}", world.own(rank), world.number);
}

std::string rank_name(std::span<const model::World> worlds, base::Rank rank) {
  return "rank " + rank_number(worlds, rank);
}

}  // namespace muster::view
