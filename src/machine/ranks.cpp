// Counts starts and ends.
#include "machine/ranks.hpp"

#include <utility>

#include "base/check.hpp"

namespace muster::machine {

using base::Rank;

void Ranks::add(bool serves) {
  ranks_.push_back({serves});
  working_ += !serves;
}

void Ranks::renew(std::uint32_t count) {
  CHECK(count <= ranks_.size());
  std::vector<One> before = std::move(ranks_);
  *this = {};
  for (std::uint32_t rank = 0; rank < count; ++rank) add(before[rank].serves);
}

const Ranks::One& Ranks::of(Rank rank) const {
  CHECK(rank.value < ranks_.size());
  return ranks_[rank.value];
}

bool Ranks::start(Rank rank, std::int32_t pid) {
  CHECK(rank.value < ranks_.size());
  One& one = ranks_[rank.value];
  if (pid == 0 || one.pid != 0) return false;
  one.pid = pid;
  ++started_;
  return true;
}

bool Ranks::end(Rank rank) {
  CHECK(rank.value < ranks_.size());
  One& one = ranks_[rank.value];
  if (std::exchange(one.ended, true)) return false;
  ++ended_;
  working_ -= !one.serves;
  CHECK(ended_ <= size() && working_ <= size() - ended_);
  return true;
}

}  // namespace muster::machine
