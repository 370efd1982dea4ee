// Attempts, pauses and limits of opening links.
#include "machine/opener.hpp"

#include <algorithm>
#include <array>

namespace muster::machine {

using base::Duration;
using base::Instant;
using base::NodeIndex;

namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(150);
constexpr Duration kLongestPause = std::chrono::milliseconds(2000);
// Attempts by kind of retry: briefly lasts about 2 s, patiently about 40 s.
constexpr std::array<std::uint32_t, 3> kAttemptsMax = {1, 4, 24};

// Doubles with each attempt; nodes differ, so that they do not come back all at once.
Duration pause(NodeIndex node, std::uint32_t attempts) {
  const Duration base = std::min(kLongestPause, kFirstPause * (1u << std::min(attempts - 1, 6u)));
  const std::uint32_t spread = (node.value * 2654435761u + attempts * 40503u) >> 16;
  return base / 2 + base * (spread % 1024) / 1024;
}

}  // namespace

Opener::Opener(std::uint32_t parallel, Duration patience)
    : parallel_(std::max(1u, parallel)), patience_(patience) {}

void Opener::add(NodeIndex node, Instant now) { attempts_[node] = {0, false, now}; }

std::uint32_t Opener::under_way() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(attempts_, [](const auto& entry) { return entry.second.open; }));
}

std::vector<NodeIndex> Opener::due(Instant now) {
  std::vector<NodeIndex> nodes;
  std::uint32_t busy = under_way();
  for (auto& [node, attempt] : attempts_) {
    if (busy >= parallel_) break;
    if (attempt.open || attempt.at > now) continue;
    attempt = {attempt.count + 1, true, now};
    nodes.push_back(node);
    ++busy;
  }
  return nodes;
}

void Opener::opened(NodeIndex node) { attempts_.erase(node); }

bool Opener::again(NodeIndex node, Instant now, Retry retry) {
  const auto found = attempts_.find(node);
  if (found == attempts_.end()) return false;
  Attempt& attempt = found->second;
  if (attempt.count >= kAttemptsMax[static_cast<std::size_t>(retry)]) {
    attempts_.erase(found);
    return false;
  }
  if (retry == Retry::patiently) parallel_ = std::max(1u, parallel_ / 2);
  attempt.open = false;
  attempt.at = now + pause(node, attempt.count);
  return true;
}

std::vector<NodeIndex> Opener::overdue(Instant now) const {
  std::vector<NodeIndex> nodes;
  for (const auto& [node, attempt] : attempts_) {
    if (attempt.open && now >= attempt.at + patience_) nodes.push_back(node);
  }
  return nodes;
}

std::optional<Instant> Opener::deadline() const {
  std::optional<Instant> soonest;
  const bool room = under_way() < parallel_;
  for (const auto& [node, attempt] : attempts_) {
    if (attempt.open) soonest = base::sooner(soonest, attempt.at + patience_);
    if (!attempt.open && room) soonest = base::sooner(soonest, attempt.at);
  }
  return soonest;
}

std::vector<NodeIndex> Opener::waiting() const {
  std::vector<NodeIndex> nodes;
  for (const auto& [node, attempt] : attempts_) nodes.push_back(node);
  return nodes;
}

}  // namespace muster::machine
