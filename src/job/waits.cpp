// Puts steps in an order, and finds those that have none.
#include "job/waits.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace muster::job {

std::vector<std::size_t> Waits::order() const {
  std::vector<std::vector<std::size_t>> followers(needs_.size());
  std::vector<std::size_t> open(needs_.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < needs_.size(); ++i) {
    open[i] = needs_[i].size();
    for (const std::size_t needed : needs_[i]) followers[needed].push_back(i);
    if (open[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  order.reserve(needs_.size());
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const std::size_t follower : followers[next]) {
      if (--open[follower] == 0) ready.push(follower);
    }
  }
  return order;
}

std::vector<std::size_t> Waits::circle(const std::vector<std::size_t>& order) const {
  std::vector<bool> done(needs_.size());
  for (const std::size_t step : order) done[step] = true;
  const auto is_open = [&](std::size_t step) { return !done[step]; };
  std::vector<std::size_t> trail;
  std::vector<bool> seen(needs_.size());
  std::size_t at = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
  for (; !seen[at]; at = *std::ranges::find_if(needs_[at], is_open)) {
    seen[at] = true;
    trail.push_back(at);
  }
  trail.erase(trail.begin(), std::ranges::find(trail, at));
  std::rotate(trail.begin(), std::ranges::min_element(trail), trail.end());
  return trail;
}

}  // namespace muster::job
