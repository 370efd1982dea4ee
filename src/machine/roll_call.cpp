// Counts arrivals, world by world.
#include "machine/roll_call.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace muster::machine {

using base::Duration;
using base::Instant;
using base::Rank;

void RollCall::add(const model::World& world) {
  CHECK(world.first.value == places_.size());
  worlds_.push_back({world, 0, {}, {}});
  places_.resize(world.first.value + world.size, Place::absent);
}

RollCall::Entry& RollCall::entry_of(Rank rank) {
  CHECK(rank.value < places_.size() && !worlds_.empty());
  const auto first = [](const Entry& entry) { return entry.world.first; };
  return *(std::ranges::upper_bound(worlds_, rank, {}, first) - 1);
}

void RollCall::came(Rank rank, Instant now) {
  CHECK(rank.value < places_.size());
  if (std::exchange(places_[rank.value], Place::here) == Place::here) return;
  Entry& entry = entry_of(rank);
  ++entry.here;
  if (!entry.since) entry.since = now;
}

void RollCall::left(Rank rank) {
  CHECK(rank.value < places_.size());
  if (places_[rank.value] != Place::absent) return;
  places_[rank.value] = Place::gone;
  Entry& entry = entry_of(rank);
  if (!entry.gone) entry.gone = rank;
}

std::optional<Rank> RollCall::deserter() const {
  for (const Entry& entry : worlds_) {
    if (entry.gone && entry.waits()) return entry.gone;
  }
  return std::nullopt;
}

std::optional<Instant> RollCall::deadline(Duration patience) const {
  std::optional<Instant> soonest;
  for (const Entry& entry : worlds_) {
    if (entry.waits()) soonest = base::sooner(soonest, *entry.since + patience);
  }
  return soonest;
}

std::vector<Rank> RollCall::missing() const {
  std::vector<Rank> ranks;
  for (const Entry& entry : worlds_) {
    if (!entry.waits()) continue;
    const std::uint32_t end = entry.world.first.value + entry.world.size;
    for (std::uint32_t rank = entry.world.first.value; rank < end; ++rank) {
      if (places_[rank] == Place::absent) ranks.emplace_back(rank);
    }
  }
  return ranks;
}

}  // namespace muster::machine
