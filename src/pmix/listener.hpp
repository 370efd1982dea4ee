// Listener: the socket on 127.0.0.1 that ranks find in their environment; all that wire-up costs a
// job whose programs are not MPI.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::pmix {

// Connections wait in its backlog until a server process takes them: when `socket` becomes
// readable, the first MPI program has come.
struct Listener {
  process::UniqueFd socket;
  std::uint16_t port = 0;
};

[[nodiscard]] base::Result<Listener> listen_on_loopback();

}  // namespace muster::pmix
