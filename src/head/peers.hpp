// Peers: who may use a port that muster opens for a job: the job's hosts, and on this machine the
// user whose job it is. Users of other hosts cannot be told apart from here.
#pragma once

#include <asio/ip/tcp.hpp>
#include <optional>
#include <set>
#include <string>

#include "base/error.hpp"

namespace muster::head {

class Peers {
 public:
  // Addresses of the job's hosts, as their agents report them.
  explicit Peers(const std::set<std::string>& hosts);

  // Why the other end of a connection may not use it; empty if it may. Nothing: it has gone.
  [[nodiscard]] std::optional<std::string> objection(asio::ip::tcp::socket& connection) const;
  // The other end is on this machine, and another user's. Ask once that has said something: before
  // it accepts a connection, the kernel may call its end root's.
  [[nodiscard]] bool is_another_users(asio::ip::tcp::socket& connection) const;

 private:
  [[nodiscard]] bool is_here(const asio::ip::address& address) const;

  std::set<asio::ip::address> hosts_;
  std::set<asio::ip::address> own_;  // of this machine, but for loopback
};

// Fault::usage: why neither side of a meeting takes another user for a node, whose name for the job
// anyone may guess.
[[nodiscard]] base::Error another_users();

}  // namespace muster::head
