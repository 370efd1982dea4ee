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
  Dealer(const std::vector<Room>& rooms, std::uint64_t ranks) : rooms_(rooms) {
    order_.reserve(ranks);
    counts_.resize(rooms.size());
  }

  // Up to `ranks` more, none on a host that has room.*limit already; the turn goes on after the
  // host that was served last.
  void deal(std::uint64_t ranks, std::uint32_t Room::*limit) {
    std::vector<std::uint32_t> open(rooms_.size());
    for (std::uint32_t i = 0; i < open.size(); ++i) open[i] = i;
    std::rotate(open.begin(), open.begin() + next_, open.end());
    const std::uint64_t end = order_.size() + ranks;
    while (!open.empty() && order_.size() < end) pass(open, limit, end);
  }

  [[nodiscard]] std::vector<Seat> take_order() { return std::move(order_); }
  [[nodiscard]] std::size_t dealt() const { return order_.size(); }
  [[nodiscard]] std::vector<std::uint32_t>& counts() { return counts_; }

 private:
  // One round; full hosts leave `open`.
  void pass(std::vector<std::uint32_t>& open, std::uint32_t Room::*limit, std::uint64_t end) {
    std::size_t kept = 0;
    for (const std::uint32_t host : open) {
      if (order_.size() == end) return;
      if (counts_[host] >= rooms_[host].*limit) continue;
      serve(host);
      open[kept++] = host;
    }
    open.resize(kept);
  }

  void serve(std::uint32_t host) {
    order_.push_back({host, kNoObject});
    ++counts_[host];
    next_ = host + 1 == rooms_.size() ? 0 : host + 1;
  }

  const std::vector<Room>& rooms_;
  std::vector<Seat> order_;
  std::vector<std::uint32_t> counts_;  // ranks of each host
  std::uint32_t next_ = 0;
};

// How many ranks each host gets by slot.
std::vector<std::uint32_t> shares_by_slot(const std::vector<Room>& rooms, std::uint64_t ranks) {
  std::vector<Room> beyond(rooms.size());
  std::vector<std::uint32_t> counts(rooms.size());
  std::uint64_t left = ranks;
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    counts[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, rooms[i].slots));
    left -= counts[i];
    beyond[i].cap = rooms[i].cap - rooms[i].slots;
  }
  Dealer dealer(beyond, left);
  dealer.deal(left, &Room::cap);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += dealer.counts()[i];
  return counts;
}

// How many ranks each host gets when every object gets the same number, in rounds over all of them.
std::vector<std::uint32_t> shares_of_span(const std::vector<Room>& rooms, std::uint64_t ranks) {
  std::vector<std::uint32_t> counts(rooms.size());
  const auto room_left = [&](std::size_t i) { return rooms[i].cap - counts[i]; };
  for (std::uint64_t left = ranks; left > 0;) {
    std::uint64_t open = 0;  // objects of hosts that have room
    for (std::size_t i = 0; i < rooms.size(); ++i) open += room_left(i) > 0 ? rooms[i].objects : 0;
    CHECK(open > 0);  // the caps are enough for all ranks
    const std::uint64_t rounds = std::max<std::uint64_t>(1, left / open);
    for (std::size_t i = 0; i < rooms.size() && left > 0; ++i) {
      const std::uint64_t share =
          std::min({rounds * rooms[i].objects, std::uint64_t{room_left(i)}, left});
      counts[i] += static_cast<std::uint32_t>(share);
      left -= share;
    }
  }
  return counts;
}

// The seats of all hosts in a row, on each round-robin over its objects.
std::vector<Seat> in_turn(const std::vector<Room>& rooms, const std::vector<std::uint32_t>& counts,
                          std::uint64_t ranks) {
  std::vector<Seat> seats;
  seats.reserve(ranks);
  for (std::uint32_t host = 0; host < rooms.size(); ++host) {
    std::uint32_t object = 0;
    for (std::uint32_t i = 0; i < counts[host]; ++i) {
      seats.push_back({host, object});
      if (++object == rooms[host].objects) object = 0;
    }
  }
  return seats;
}

}  // namespace

std::vector<Seat> by_slot(const std::vector<Room>& rooms, std::uint64_t ranks) {
  const std::vector<std::uint32_t> counts = shares_by_slot(rooms, ranks);
  std::vector<Seat> seats;
  seats.reserve(ranks);
  for (std::uint32_t i = 0; i < rooms.size(); ++i) {
    seats.insert(seats.end(), counts[i], Seat{i, kNoObject});
  }
  return seats;
}

std::vector<Seat> by_node(const std::vector<Room>& rooms, std::uint64_t ranks) {
  Dealer dealer(rooms, ranks);
  dealer.deal(ranks, &Room::slots);
  dealer.deal(ranks - dealer.dealt(), &Room::cap);
  return dealer.take_order();
}

std::vector<Seat> by_node_crowded(const std::vector<Room>& rooms, std::uint64_t ranks) {
  Dealer dealer(rooms, ranks);
  dealer.deal(ranks, &Room::cap);
  return dealer.take_order();
}

std::vector<Seat> by_pattern(const std::vector<Room>& rooms, std::uint64_t ranks) {
  std::vector<Seat> seats;
  seats.reserve(ranks);
  while (seats.size() < ranks) {
    for (std::uint32_t i = 0; i < rooms.size(); ++i) {
      const std::uint64_t left = ranks - seats.size();
      seats.insert(seats.end(), std::min<std::uint64_t>(left, rooms[i].slots), Seat{i, kNoObject});
    }
  }
  return seats;
}

std::vector<Seat> by_object(const std::vector<Room>& rooms, std::uint64_t ranks) {
  return in_turn(rooms, shares_by_slot(rooms, ranks), ranks);
}

std::vector<Seat> by_object_span(const std::vector<Room>& rooms, std::uint64_t ranks) {
  return in_turn(rooms, shares_of_span(rooms, ranks), ranks);
}

std::vector<Seat> per_object(const std::vector<Room>& rooms, std::uint64_t ranks,
                             std::uint32_t per_object) {
  std::vector<Seat> seats;
  seats.reserve(ranks);
  for (std::uint32_t host = 0; host < rooms.size(); ++host) {
    for (std::uint32_t object = 0; object < rooms[host].objects; ++object) {
      const std::uint64_t left = ranks - seats.size();
      seats.insert(seats.end(), std::min<std::uint64_t>(left, per_object), Seat{host, object});
    }
  }
  return seats;
}

}  // namespace muster::plan
