// Crowd: those who are connected and have not yet shown who they are, in the order in which they
// came, and which of them makes room for others.
#pragma once

#include <asio/ip/address.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace muster::head {

using Ticket = std::uint64_t;  // of one in a crowd; nobody else there ever has the same

// Each call takes a time that grows with the logarithm of their number.
template <class One>
class Crowd {
 public:
  // The newest, which is connected from that address.
  Ticket add(const asio::ip::address& from, One one) {
    const Ticket ticket = next_++;
    change(from, [&](Tickets& its) { its.insert(ticket); });
    all_.emplace(ticket, Stranger{from, std::move(one)});
    return ticket;
  }

  // It may have been removed before.
  void remove(Ticket ticket) {
    const auto found = all_.find(ticket);
    if (found == all_.end()) return;
    change(found->second.from, [&](Tickets& its) { its.erase(ticket); });
    all_.erase(found);
  }

  // Removes the oldest of those from the address with most, or of all where no address has more.
  // There is one at least.
  [[nodiscard]] One take_one() {
    const Ticket ticket = order_.begin()->second;
    One one = std::move(all_.at(ticket).one);
    remove(ticket);
    return one;
  }

  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  struct Stranger {
    asio::ip::address from;
    One one;
  };
  using Tickets = std::set<Ticket>;

  // What an address has its place in the order by: how many it has not, and its oldest.
  static std::pair<std::size_t, Ticket> place_of(const Tickets& its) {
    return {~its.size(), *its.begin()};
  }

  template <class Change>
  void change(const asio::ip::address& from, Change what) {
    Tickets& its = by_address_[from];
    if (!its.empty()) order_.erase(place_of(its));
    what(its);
    if (its.empty()) {
      by_address_.erase(from);
    } else {
      order_.insert(place_of(its));
    }
  }

  Ticket next_ = 0;
  std::map<Ticket, Stranger> all_;
  std::map<asio::ip::address, Tickets> by_address_;
  std::set<std::pair<std::size_t, Ticket>> order_;  // of the addresses
};

}  // namespace muster::head
