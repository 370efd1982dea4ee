// A classic packet filter on the listening socket: it sees each segment from the TCP header on.
#include "pmix/gate.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace muster::pmix {

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// The port that a descriptor of ours listens on; 0 when it does not.
std::uint16_t listens_on(int fd) {
  int listening = 0;
  socklen_t size = sizeof listening;
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0) {
    return 0;
  }
  sockaddr_in address{};
  size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return address.sin_family == AF_INET ? ntohs(address.sin_port) : std::uint16_t{0};
}

}  // namespace

base::Result<Gate> Gate::shut(std::uint16_t port) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  // The library has opened few descriptors when this is called.
  constexpr int kHighest = 1024;
  for (int fd = 0; fd < kHighest && fd < static_cast<int>(limit.rlim_cur); ++fd) {
    if (listens_on(fd) != port) continue;
    Gate gate(fd, port);
    if (gate.admit(0)) return gate;
    break;
  }
  return base::fail(base::Fault::internal, {}, "cannot keep strangers from port {}: {}", port,
                    std::strerror(errno));
}

// Passes what belongs to connections that exist, and requests for new ones from 127.0.0.1 and that
// port; 0 is nobody's. Accepted sockets inherit the filter, which does them no harm.
bool Gate::admit(std::uint16_t source_port) const {
  constexpr std::uint32_t kSourcePort = 0;  // offsets in the TCP header
  constexpr std::uint32_t kFlags = 13;
  constexpr std::uint32_t kSourceAddress = static_cast<std::uint32_t>(SKF_NET_OFF) + 12;
  constexpr std::uint32_t kAll = 0xffffffff;
  std::array<sock_filter, 8> program{{
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kFlags),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, TH_SYN, 0, 4),
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, kSourcePort),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, source_port, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSourceAddress),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, INADDR_LOOPBACK, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kAll),
      BPF_STMT(BPF_RET | BPF_K, 0),
  }};
  const sock_fprog attached{static_cast<unsigned short>(program.size()), program.data()};
  return ::setsockopt(listener_, SOL_SOCKET, SO_ATTACH_FILTER, &attached, sizeof attached) == 0;
}

base::Result<process::UniqueFd> Gate::enter() {
  process::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own = loopback(0);
  const sockaddr_in library = loopback(port_);
  socklen_t size = sizeof own;
  auto* mine = reinterpret_cast<sockaddr*>(&own);
  const bool in =
      socket && ::bind(socket.get(), mine, size) == 0 &&
      ::getsockname(socket.get(), mine, &size) == 0 && admit(ntohs(own.sin_port)) &&
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&library), sizeof library) == 0;
  const int error = errno;
  if (!admit(0) || !in) {
    return base::fail(base::Fault::internal, {}, "cannot reach the PMIx library: {}",
                      std::strerror(error));
  }
  return socket;
}

}  // namespace muster::pmix
