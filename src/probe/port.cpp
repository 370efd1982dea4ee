// Finds a free TCP port and claims it among muster's own jobs; holds one against all programs.
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "probe/port_range.hpp"
#include "probe/probe.hpp"
#include "probe/random.hpp"
#include "probe/text_file.hpp"
#include "process/shortage.hpp"

namespace muster::probe {
namespace {

using process::UniqueFd;

template <class SocketAddress>
[[nodiscard]] bool bind_to(const UniqueFd& socket, const SocketAddress& address,
                           std::size_t size = sizeof(SocketAddress)) {
  const void* const any = &address;
  return ::bind(socket.get(), static_cast<const sockaddr*>(any), static_cast<socklen_t>(size)) == 0;
}

// An abstract name lives in the network namespace, exactly as ports do, and goes with its socket.
[[nodiscard]] UniqueFd claim_name(std::uint16_t port) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = fmt::format("muster-port-{}", port);
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const std::size_t size = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  return socket && bind_to(socket, address, size) ? std::move(socket) : UniqueFd();
}

// Without SO_REUSEADDR: a port with a connection in TIME_WAIT counts as taken, since the ranks may
// bind without it too.
[[nodiscard]] bool is_free_v4(std::uint16_t port) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return socket && bind_to(socket, address);
}

// A machine without IPv6 has nothing that could hold the port there.
[[nodiscard]] bool is_free_v6(std::uint16_t port) {
  const UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return errno == EAFNOSUPPORT;
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  address.sin6_addr = in6addr_any;
  return bind_to(socket, address) || errno == EADDRNOTAVAIL;
}

[[nodiscard]] bool is_free(std::uint16_t port) { return is_free_v4(port) && is_free_v6(port); }

bool shares(const UniqueFd& socket) {
  constexpr int kYes = 1;
  return ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &kYes, sizeof kYes) == 0;
}

// Of both families at once, unless this machine has no IPv6, or binds it apart.
[[nodiscard]] UniqueFd hold_v6(std::uint16_t port) {
  constexpr int kNo = 0;
  UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  address.sin6_addr = in6addr_any;
  const bool held = socket && shares(socket) &&
                    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &kNo, sizeof kNo) == 0 &&
                    bind_to(socket, address);
  return held ? std::move(socket) : UniqueFd();
}

[[nodiscard]] UniqueFd hold_v4(std::uint16_t port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return socket && shares(socket) && bind_to(socket, address) ? std::move(socket) : UniqueFd();
}

}  // namespace

base::Result<UniqueFd> hold_port(std::uint16_t port) {
  UniqueFd held = hold_v6(port);
  if (!held && errno != EADDRINUSE) held = hold_v4(port);
  if (held) return held;
  return base::fail(base::Fault::cannot_start, "start it again: another port will be chosen",
                    "port {}, at which the ranks were to meet, was taken by another program: {}",
                    port, std::strerror(errno));
}

// Anybody may hold the names, all of them if he likes. Then a port is chosen without one: that
// another job takes it before our ranks do is unlikely, and would be told.
base::Result<PortClaim> claim_port() {
  constexpr int kNamesTried = 64;
  const PortRange range(read_text("/proc/sys/net/ipv4/ip_local_port_range"));
  for (int tries = 0; tries < kNamesTried; ++tries) {
    const std::uint16_t port = range.at(random_number() % range.size());
    UniqueFd claim = claim_name(port);
    if (!claim && process::is_shortage(errno)) {
      return tl::unexpected(process::system_error("cannot claim a port", errno));
    }
    if (claim && is_free(port)) return PortClaim{port, std::move(claim)};
  }
  const std::uint32_t start = random_number() % range.size();
  for (std::uint32_t tries = 0; tries < range.size(); ++tries) {
    const std::uint16_t port = range.at((start + tries) % range.size());
    if (is_free(port)) return PortClaim{port, {}};
  }
  return base::fail(base::Fault::internal, "ss -ltn shows who holds them",
                    "no TCP port is free on {}", hostname());
}

}  // namespace muster::probe
