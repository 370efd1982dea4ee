// The filter is a classic one on the listening socket: it sees each segment from the TCP header on.
// Signatures are those of RFC 2385: the kernel drops what is not signed with the socket's key.
#include "pmix/gate.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <span>
#include <sys/random.h>
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

// This process's listening socket on that port; -1 when there is none.
int listener_on(std::uint16_t port) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  // The library has opened few descriptors when this is called.
  constexpr int kHighest = 1024;
  for (int fd = 0; fd < kHighest && fd < static_cast<int>(limit.rlim_cur); ++fd) {
    if (listens_on(fd) == port) return fd;
  }
  return -1;
}

// Each segment of the socket must be signed from now on, wherever it comes from.
bool sign(int socket, std::span<const std::uint8_t> key) {
  tcp_md5sig wanted{};
  wanted.tcpm_addr.ss_family = AF_INET;
  wanted.tcpm_flags = TCP_MD5SIG_FLAG_PREFIX;  // of length 0: all addresses
  wanted.tcpm_keylen = static_cast<std::uint16_t>(key.size());
  std::copy(key.begin(), key.end(), wanted.tcpm_key);
  return ::setsockopt(socket, IPPROTO_TCP, TCP_MD5SIG_EXT, &wanted, sizeof wanted) == 0;
}

bool connects(int socket, std::uint16_t port) {
  const sockaddr_in to = loopback(port);
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
}

}  // namespace

base::Result<Gate> Gate::shut(std::uint16_t port) {
  if (auto gate = shut(port, Lock::filter)) return gate;
  return shut(port, Lock::signature);
}

base::Result<Gate> Gate::shut(std::uint16_t port, Lock lock) {
  Gate gate(listener_on(port), port);
  if (gate.lock_with(lock)) return gate;
  return base::fail(base::Fault::internal,
                    "the kernel allows neither a packet filter (without CAP_NET_ADMIN) nor signed "
                    "segments (CONFIG_TCP_MD5SIG): one of them is needed",
                    "cannot keep strangers from the PMIx library's port {}: {}", port,
                    std::strerror(errno));
}

bool Gate::lock_with(Lock lock) {
  if (lock == Lock::filter) return admit(0);
  Key key{};
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) return false;
  key_ = key;
  return sign(listener_, key);
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

// From a port of our own, which is the only one that is let in.
bool Gate::enter_by_port(int socket) const {
  sockaddr_in own = loopback(0);
  socklen_t size = sizeof own;
  auto* mine = reinterpret_cast<sockaddr*>(&own);
  const bool in = ::bind(socket, mine, size) == 0 && ::getsockname(socket, mine, &size) == 0 &&
                  admit(ntohs(own.sin_port)) && connects(socket, port_);
  const int error = errno;
  const bool shut = admit(0);
  if (!in) errno = error;
  return in && shut;
}

base::Result<process::UniqueFd> Gate::enter() {
  process::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int fd = socket.get();
  const bool in = key_ ? sign(fd, *key_) && connects(fd, port_) : enter_by_port(fd);
  if (in) return socket;
  return base::fail(base::Fault::internal, {}, "cannot reach the PMIx library: {}",
                    std::strerror(errno));
}

}  // namespace muster::pmix
