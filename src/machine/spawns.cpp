// Keeps the order of spawns, and counts the hosts that each waits for.
#include "machine/spawns.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace muster::machine {

using base::NodeIndex;

void Spawns::ask(NodeIndex asker, wire::Spawn order) {
  waiting_.push_back({asker, std::move(order)});
}

void Spawns::ask_again(AskedSpawn asked) {
  CHECK(!calling_ && !preparing_);
  waiting_.push_front(std::move(asked));
}

std::optional<AskedSpawn> Spawns::next() {
  if (calling_ || preparing_ || waiting_.empty()) return std::nullopt;
  AskedSpawn asked = std::move(waiting_.front());
  waiting_.pop_front();
  return asked;
}

void Spawns::call(AskedSpawn asked, std::set<NodeIndex> awaited) {
  CHECK(!calling_ && !preparing_ && !awaited.empty());
  calling_ = {std::move(asked), std::move(awaited)};
}

void Spawns::prepare(AskedSpawn asked, PlannedSpawn planned) {
  CHECK(!calling_ && !preparing_ && !planned.needs_hosts());
  CHECK(!planned.placed.nodes.empty());
  std::set<NodeIndex> awaited(planned.placed.nodes.begin(), planned.placed.nodes.end());
  preparing_ = {std::move(asked), std::move(planned), std::move(awaited)};
}

bool Spawns::calls(NodeIndex node) const { return calling_ && calling_->awaited.contains(node); }

bool Spawns::prepares(std::uint32_t world) const {
  return preparing_ && preparing_->planned.placed.world.number == world;
}

Spawns::Outcome Spawns::greeted(NodeIndex node) { return called(node); }

Spawns::Outcome Spawns::prepared(NodeIndex node, std::uint32_t world) {
  if (!prepares(world)) return std::nullopt;
  return answered(node);
}

Spawns::Outcome Spawns::declined(NodeIndex node, std::uint32_t world, base::Error error) {
  if (!prepares(world)) return std::nullopt;
  if (!preparing_->refusal) preparing_->refusal = std::move(error);
  return answered(node);
}

Spawns::Outcome Spawns::missed(NodeIndex node, base::Error error) {
  if (calls(node)) {
    if (!calling_->refusal) calling_->refusal = std::move(error);
    return called(node);
  }
  if (!prepares(node)) return std::nullopt;
  if (!preparing_->refusal) preparing_->refusal = std::move(error);
  return answered(node);
}

Spawns::Outcome Spawns::host_ended(NodeIndex node) {
  std::erase_if(waiting_, [&](const AskedSpawn& one) { return one.asker == node; });
  if (!prepares(node)) return std::nullopt;
  preparing_->host_ended = true;
  return answered(node);
}

Spawns::Outcome Spawns::called(NodeIndex node) {
  if (!calling_ || calling_->awaited.erase(node) == 0 || !calling_->awaited.empty()) {
    return std::nullopt;
  }
  Calling done = std::move(*calling_);
  calling_.reset();
  const bool all_came = !done.refusal;
  return SpawnOutcome{std::move(done.asked), {}, std::move(done.refusal), all_came};
}

// Whether or not it has said that it is ready.
bool Spawns::prepares(NodeIndex node) const {
  return preparing_ && std::ranges::binary_search(preparing_->planned.placed.nodes, node);
}

Spawns::Outcome Spawns::answered(NodeIndex node) {
  if (preparing_->awaited.erase(node) == 0 || !preparing_->awaited.empty()) return std::nullopt;
  Preparing done = std::move(*preparing_);
  preparing_.reset();
  const bool again = done.host_ended && !done.refusal;
  return SpawnOutcome{std::move(done.asked), std::move(done.planned), std::move(done.refusal),
                      again};
}

Spawns::Status Spawns::status() const {
  Status status;
  status.waiting = waiting_.size();
  if (calling_) status.called = calling_->awaited;
  if (preparing_) status.preparing = preparing_->planned.placed.world.number;
  return status;
}

}  // namespace muster::machine
