// Counts what each rank was sent and has taken.
#include "machine/input_flow.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace muster::machine {

using base::Rank;

InputFlow::InputFlow(model::StdinSpec spec, std::uint32_t ranks) : spec_(spec), lanes_(ranks) {}

void InputFlow::renew() {
  lanes_.assign(lanes_.size(), {});
  runs_ = false;
}

bool InputFlow::is_sent() const {
  return spec_.to == model::StdinTo::one || spec_.to == model::StdinTo::all;
}

std::vector<Rank> InputFlow::targets() const {
  if (!is_sent()) return {};
  if (spec_.to == model::StdinTo::one) return {spec_.rank};
  std::vector<Rank> all;
  for (std::uint32_t rank = 0; rank < lanes_.size(); ++rank) all.emplace_back(rank);
  return all;
}

std::vector<Rank> InputFlow::send(std::uint64_t bytes) {
  std::vector<Rank> takers = targets();
  std::erase_if(takers, [&](Rank rank) { return lanes_[rank.value].left; });
  for (const Rank rank : takers) lanes_[rank.value].sent += bytes;
  return takers;
}

void InputFlow::taken(Rank rank, std::uint64_t bytes) {
  if (rank.value >= lanes_.size()) return;
  Lane& lane = lanes_[rank.value];
  lane.taken = std::min(lane.taken + bytes, lane.sent);
}

void InputFlow::left(Rank rank) {
  if (rank.value < lanes_.size()) lanes_[rank.value].left = true;
}

std::optional<bool> InputFlow::change(bool all_run) {
  runs_ = runs_ || all_run;
  if (!is_sent() || ended_) return std::nullopt;
  bool room = runs_;
  bool taker = false;
  for (const Rank rank : targets()) {
    const Lane& lane = lanes_[rank.value];
    if (lane.left) continue;
    CHECK(lane.taken <= lane.sent);
    taker = true;
    if (lane.sent - lane.taken >= kInputWindow) room = false;
  }
  if (std::exchange(reading_, room && taker) == reading_) return std::nullopt;
  return reading_;
}

}  // namespace muster::machine
