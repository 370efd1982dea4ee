// Looks at a socket's file, and connects to it.
#include "probe/socket_file.hpp"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

#include "process/ownership.hpp"

namespace muster::probe {

base::Result<process::UniqueFd> connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  process::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool fits = path.size() < sizeof address.sun_path;
  if (fits) std::memcpy(address.sun_path, path.data(), path.size());
  if (!fits) errno = ENAMETOOLONG;
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  if (fits && fd && ::connect(fd.get(), to, sizeof address) == 0) {
    if (process::is_own_peer(fd.get())) return fd;
    return base::fail(base::Fault::unreachable, {}, "another user's process listens at {}", path);
  }
  return base::fail(base::Fault::unreachable, {}, "cannot connect to {}: {}", path,
                    std::strerror(errno));
}

}  // namespace muster::probe
