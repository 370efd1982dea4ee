// Clients retry a refused connection ten times and then give up, hence the long backlog.
#include "pmix/listener.hpp"

#include <cerrno>
#include <netinet/in.h>
#include <sys/socket.h>

#include "process/defer_accept.hpp"
#include "process/shortage.hpp"

namespace muster::pmix {

base::Result<Listener> listen_on_loopback() {
  constexpr int kBacklog = 4096;
  Listener made{process::UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
                0};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!made.socket || ::bind(made.socket.get(), generic, size) != 0 ||
      ::listen(made.socket.get(), kBacklog) != 0 ||
      ::getsockname(made.socket.get(), generic, &size) != 0) {
    return tl::unexpected(process::system_error("cannot listen on 127.0.0.1", errno));
  }
  process::defer_accept(made.socket.get());
  made.port = ntohs(address.sin_port);
  return made;
}

}  // namespace muster::pmix
