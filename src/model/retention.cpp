// Counts who needs what, and takes the oldest of those that nobody needs.
#include "model/retention.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace muster::model {
namespace {

class Leaving {
 public:
  Leaving(const Holdings& holdings, const Bounds& bounds, Utc now)
      : holdings_(holdings),
        bounds_(bounds),
        now_(now),
        needed_(holdings.records.size()),
        named_(holdings.contents.size()),
        is_left_(holdings.records.size(), true) {
    for (const HeldRecord& record : holdings.records) {
      for (const std::size_t other : record.needs) ++needed_[other];
      for (const std::size_t content : record.contents) {
        if (named_[content]++ == 0) departures_.left += holdings.contents[content];
      }
      departures_.left += record.bytes;
    }
    for (std::size_t i = 0; i < needed_.size(); ++i) offer(i);
  }

  Departures all() {
    while (!candidates_.empty() && is_due(candidates_.top().second)) {
      const std::size_t record = candidates_.top().second;
      candidates_.pop();
      leave(record);
    }
    note_needed();
    return std::move(departures_);
  }

 private:
  using Candidate = std::pair<Utc, std::size_t>;

  void offer(std::size_t record) {
    const HeldRecord& held = holdings_.records[record];
    if (held.may_go && needed_[record] == 0) candidates_.emplace(held.ended, record);
  }

  [[nodiscard]] bool is_due(std::size_t record) const {
    const bool old =
        bounds_.older_than && now_ - holdings_.records[record].ended >= *bounds_.older_than;
    return old || (bounds_.bytes && departures_.left > *bounds_.bytes);
  }

  void leave(std::size_t record) {
    const HeldRecord& held = holdings_.records[record];
    departures_.go.push_back(record);
    departures_.left -= held.bytes;
    is_left_[record] = false;
    for (const std::size_t content : held.contents) {
      if (--named_[content] == 0) departures_.left -= holdings_.contents[content];
    }
    for (const std::size_t other : held.needs) {
      if (--needed_[other] == 0) offer(other);
    }
  }

  // Those that are due, and those that a younger one has left before.
  void note_needed() {
    Candidate last{Utc::min(), 0};
    for (const std::size_t gone : departures_.go) {
      last = std::max(last, Candidate{holdings_.records[gone].ended, gone});
    }
    std::vector<std::optional<std::size_t>> by(holdings_.records.size());
    for (std::size_t i = 0; i < by.size(); ++i) {
      if (!is_left_[i]) continue;
      for (const std::size_t other : holdings_.records[i].needs) {
        if (!by[other]) by[other] = i;
      }
    }
    for (std::size_t i = 0; i < by.size(); ++i) {
      const bool stays = is_left_[i] && holdings_.records[i].may_go && by[i];
      const bool was_due = is_due(i) || Candidate{holdings_.records[i].ended, i} < last;
      if (stays && was_due) departures_.needed.push_back({i, *by[i]});
    }
  }

  const Holdings& holdings_;
  const Bounds& bounds_;
  Utc now_;
  std::vector<std::size_t> needed_;  // by so many records that are left
  std::vector<std::size_t> named_;   // contents; by so many records that are left
  std::vector<bool> is_left_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates_;
  Departures departures_;
};

}  // namespace

Departures departures(const Holdings& holdings, const Bounds& bounds, Utc now) {
  return Leaving(holdings, bounds, now).all();
}

std::vector<std::size_t> least_used(const std::vector<CachedContent>& contents,
                                    std::uint64_t bytes) {
  std::vector<std::size_t> order(contents.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return contents[i].used; });
  std::uint64_t left = 0;
  for (const CachedContent& one : contents) left += one.bytes;
  std::size_t count = 0;
  while (left > bytes) left -= contents[order[count++]].bytes;
  order.resize(count);
  return order;
}

}  // namespace muster::model
