// Door: a listening port at which those that know a secret show it, and say who they are. Strangers
// get little time and little memory; those that say nothing are not even accepted for a second.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "head/crowd.hpp"
#include "link/handshake.hpp"
#include "process/alarm.hpp"
#include "process/life.hpp"
#include "process/unique_fd.hpp"
#include "wire/join.hpp"

namespace muster::head {

// One connection.
struct Visitor {
  Visitor(asio::ip::tcp::socket connected, const std::string& secret);

  asio::ip::tcp::socket socket;
  process::Alarm timer;
  link::HostHandshake talk;
  asio::ip::address from;
  Ticket ticket = 0;  // among the strangers, as long as it is one
  std::array<char, 4096> buffer{};
  bool admitted = false;  // it waits for the begin, and nothing is due from it
};
using VisitorPtr = std::shared_ptr<Visitor>;

struct DoorEvents {
  // It knows the secret. It is then to be admitted, refused, or taken.
  std::function<void(const VisitorPtr&, wire::Join)> joined;
  // It has said what it should not; refuse() is to follow.
  std::function<void(const VisitorPtr&, const base::Error&)> odd;
  std::function<void(const VisitorPtr&)> left;  // one that was admitted
};

class Door {
 public:
  // `expected`: visitors that may come at the same moment, for which there is room beside 64
  // others.
  Door(asio::io_context& loop, std::string secret, std::size_t expected, DoorEvents events);
  ~Door();  // ends all connections that have not been taken
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  // On a free port where the endpoint's is 0. The port is free again once the door has closed, also
  // for a program that sets SO_REUSEADDR while connections last.
  [[nodiscard]] std::error_code listen(const asio::ip::tcp::endpoint& endpoint);
  [[nodiscard]] std::uint16_t port() const;
  void open();
  // No event comes any more; visitors stay until they are taken or dismissed.
  void close();

  void admit(const VisitorPtr& visitor);
  void refuse(const VisitorPtr& visitor, const base::Error& why);
  void dismiss(const VisitorPtr& visitor);
  // The connection of one that has joined; the word that begins its link has been said.
  [[nodiscard]] process::UniqueFd take(const VisitorPtr& visitor);
  [[nodiscard]] const std::list<VisitorPtr>& visitors() const { return visitors_; }

 private:
  void accept();
  // Dismisses a stranger if there are `most`. False: there are fewer.
  bool make_room(std::size_t most);
  void welcome(asio::ip::tcp::socket socket);
  [[nodiscard]] bool send(const VisitorPtr& visitor, const std::string& text);
  void read(const VisitorPtr& visitor);
  void hear(const VisitorPtr& visitor, std::string_view bytes);

  std::string secret_;
  std::size_t strangers_max_;
  DoorEvents events_;
  asio::ip::tcp::acceptor acceptor_;
  process::Alarm pause_;
  std::list<VisitorPtr> visitors_;
  Crowd<VisitorPtr> strangers_;  // those of them that have not shown to be of this job
  process::Life life_;
};

}  // namespace muster::head
