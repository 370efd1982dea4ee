// Dealing by slots, by nodes and by objects.
#include "plan/dealing.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace muster::plan {
namespace {

// Deals ranks to the hosts that have room, one each in turn. Every visit either deals a rank or
// strikes a host off, so the work is bounded by ranks plus hosts.
class Dealer {
 public:
  Dealer(const std::vector<Capacity>& capacities, std::uint64_t ranks) : capacities_(capacities) {
    order_.reserve(ranks);
    counts_.resize(capacities.size());
  }

  // Up to `ranks` more, none on a host that has capacity.*limit already; the turn goes on after the
  // host that was served last.
  void deal(std::uint64_t ranks, std::uint32_t Capacity::*limit) {
    std::vector<std::uint32_t> open(capacities_.size());
    for (std::uint32_t i = 0; i < open.size(); ++i) open[i] = i;
    std::rotate(open.begin(), open.begin() + next_, open.end());
    const std::uint64_t end = order_.size() + ranks;
    while (!open.empty() && order_.size() < end) pass(open, limit, end);
  }

  [[nodiscard]] std::vector<Assignment> take_order() { return std::move(order_); }
  [[nodiscard]] std::size_t dealt() const { return order_.size(); }
  [[nodiscard]] std::vector<std::uint32_t>& counts() { return counts_; }

 private:
  // One round; full hosts leave `open`.
  void pass(std::vector<std::uint32_t>& open, std::uint32_t Capacity::*limit, std::uint64_t end) {
    std::size_t kept = 0;
    for (const std::uint32_t host : open) {
      if (order_.size() == end) return;
      if (counts_[host] >= capacities_[host].*limit) continue;
      serve(host);
      open[kept++] = host;
    }
    open.resize(kept);
  }

  void serve(std::uint32_t host) {
    order_.push_back({host, kNoObject});
    ++counts_[host];
    next_ = host + 1 == capacities_.size() ? 0 : host + 1;
  }

  const std::vector<Capacity>& capacities_;
  std::vector<Assignment> order_;
  std::vector<std::uint32_t> counts_;  // ranks of each host
  std::uint32_t next_ = 0;
};

// How many ranks each host gets by slot.
std::vector<std::uint32_t> shares_by_slot(const std::vector<Capacity>& capacities,
                                          std::uint64_t ranks) {
  std::vector<Capacity> beyond(capacities.size());
  std::vector<std::uint32_t> counts(capacities.size());
  std::uint64_t left = ranks;
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    counts[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, capacities[i].slots));
    left -= counts[i];
    beyond[i].cap = capacities[i].cap - capacities[i].slots;
  }
  Dealer dealer(beyond, left);
  dealer.deal(left, &Capacity::cap);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += dealer.counts()[i];
  return counts;
}

// How many ranks each host gets when every object gets the same number, in rounds over all of them.
std::vector<std::uint32_t> shares_of_span(const std::vector<Capacity>& capacities,
                                          std::uint64_t ranks) {
  std::vector<std::uint32_t> counts(capacities.size());
  const auto left_on = [&](std::size_t i) { return capacities[i].cap - counts[i]; };
  for (std::uint64_t left = ranks; left > 0;) {
    std::uint64_t open = 0;  // objects of hosts that have room
    for (std::size_t i = 0; i < capacities.size(); ++i)
      open += left_on(i) > 0 ? capacities[i].objects : 0;
    CHECK(open > 0);  // the caps are enough for all ranks
    const std::uint64_t rounds = std::max<std::uint64_t>(1, left / open);
    for (std::size_t i = 0; i < capacities.size() && left > 0; ++i) {
      const std::uint64_t share =
          std::min({rounds * capacities[i].objects, std::uint64_t{left_on(i)}, left});
      counts[i] += static_cast<std::uint32_t>(share);
      left -= share;
    }
  }
  return counts;
}

// The assignments of all hosts in a row, on each round-robin over its objects.
std::vector<Assignment> in_turn(const std::vector<Capacity>& capacities,
                                const std::vector<std::uint32_t>& counts, std::uint64_t ranks) {
  std::vector<Assignment> assignments;
  assignments.reserve(ranks);
  for (std::uint32_t host = 0; host < capacities.size(); ++host) {
    std::uint32_t object = 0;
    for (std::uint32_t i = 0; i < counts[host]; ++i) {
      assignments.push_back({host, object});
      if (++object == capacities[host].objects) object = 0;
    }
  }
  return assignments;
}

}  // namespace

std::vector<Assignment> by_slot(const std::vector<Capacity>& capacities, std::uint64_t ranks) {
  const std::vector<std::uint32_t> counts = shares_by_slot(capacities, ranks);
  std::vector<Assignment> assignments;
  assignments.reserve(ranks);
  for (std::uint32_t i = 0; i < capacities.size(); ++i) {
    assignments.insert(assignments.end(), counts[i], Assignment{i, kNoObject});
  }
  return assignments;
}

std::vector<Assignment> by_node(const std::vector<Capacity>& capacities, std::uint64_t ranks) {
  Dealer dealer(capacities, ranks);
  dealer.deal(ranks, &Capacity::slots);
  dealer.deal(ranks - dealer.dealt(), &Capacity::cap);
  return dealer.take_order();
}

std::vector<Assignment> by_node_crowded(const std::vector<Capacity>& capacities,
                                        std::uint64_t ranks) {
  Dealer dealer(capacities, ranks);
  dealer.deal(ranks, &Capacity::cap);
  return dealer.take_order();
}

std::vector<Assignment> by_pattern(const std::vector<Capacity>& capacities, std::uint64_t ranks) {
  std::vector<Assignment> assignments;
  assignments.reserve(ranks);
  while (assignments.size() < ranks) {
    for (std::uint32_t i = 0; i < capacities.size(); ++i) {
      const std::uint64_t left = ranks - assignments.size();
      assignments.insert(assignments.end(), std::min<std::uint64_t>(left, capacities[i].slots),
                         Assignment{i, kNoObject});
    }
  }
  return assignments;
}

std::vector<Assignment> by_object(const std::vector<Capacity>& capacities, std::uint64_t ranks) {
  return in_turn(capacities, shares_by_slot(capacities, ranks), ranks);
}

std::vector<Assignment> by_object_span(const std::vector<Capacity>& capacities,
                                       std::uint64_t ranks) {
  return in_turn(capacities, shares_of_span(capacities, ranks), ranks);
}

std::vector<Assignment> per_object(const std::vector<Capacity>& capacities, std::uint64_t ranks,
                                   std::uint32_t per_object) {
  std::vector<Assignment> assignments;
  assignments.reserve(ranks);
  for (std::uint32_t host = 0; host < capacities.size(); ++host) {
    for (std::uint32_t object = 0; object < capacities[host].objects; ++object) {
      const std::uint64_t left = ranks - assignments.size();
      assignments.insert(assignments.end(), std::min<std::uint64_t>(left, per_object),
                         Assignment{host, object});
    }
  }
  return assignments;
}

}  // namespace muster::plan
