// Gate: lets only this process connect to the library's own listening socket.
//
// The library checks no more than the user id that a client claims, and reads its first bytes on
// the thread that serves all others. So ranks come to our socket, where the kernel says who they
// are, and everybody else is kept away from the library's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::pmix {

// What keeps strangers away: a packet filter, which some kernels let only those attach who may
// configure the network, as nobody may in a usual pod; or a secret with which both ends sign each
// segment, which needs no right, but a kernel that was built with it.
enum class Lock : std::uint8_t { filter, signature };

class Gate {
 public:
  // Finds the listening socket on 127.0.0.1:port among this process's descriptors and shuts it.
  [[nodiscard]] static base::Result<Gate> shut(std::uint16_t port);
  [[nodiscard]] static base::Result<Gate> shut(std::uint16_t port, Lock lock);

  // Connects; nobody else is let in meanwhile.
  [[nodiscard]] base::Result<process::UniqueFd> enter();

 private:
  using Key = std::array<std::uint8_t, 64>;
  Gate(int listener, std::uint16_t port) : listener_(listener), port_(port) {}
  [[nodiscard]] bool lock_with(Lock lock);
  [[nodiscard]] bool admit(std::uint16_t source_port) const;
  [[nodiscard]] bool enter_by_port(int socket) const;

  int listener_;  // the library's
  std::uint16_t port_;
  std::optional<Key> key_;  // when segments are signed
};

}  // namespace muster::pmix
