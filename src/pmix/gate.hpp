// Gate: lets only this process connect to the library's own listening socket.
//
// The library checks no more than the user id that a client claims, and reads its first bytes on
// the thread that serves all others. So ranks come to our socket, where the kernel says who they
// are, and a packet filter keeps everybody else away from the library's.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::pmix {

class Gate {
 public:
  // Finds the listening socket on 127.0.0.1:port among this process's descriptors and shuts it.
  [[nodiscard]] static base::Result<Gate> shut(std::uint16_t port);

  // Connects from a port of our own, which is the only one that is let in.
  [[nodiscard]] base::Result<process::UniqueFd> enter();

 private:
  Gate(int listener, std::uint16_t port) : listener_(listener), port_(port) {}
  [[nodiscard]] bool admit(std::uint16_t source_port) const;

  int listener_;  // the library's
  std::uint16_t port_;
};

}  // namespace muster::pmix
