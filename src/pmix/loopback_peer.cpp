// TCP has no SO_PEERCRED; but both ends are sockets of this kernel, and it knows their owners. Only
// of connected ones: a socket that its process has closed is listed as root's.
#include "pmix/loopback_peer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "process/unique_fd.hpp"

namespace muster::pmix {

namespace {

std::string read_table() {
  const process::UniqueFd file(::open("/proc/net/tcp", O_RDONLY | O_CLOEXEC));
  std::string text;
  constexpr std::size_t kPiece = 64u << 10;
  while (file) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const ssize_t got = ::read(file.get(), text.data() + before, kPiece);
    text.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got <= 0) break;
  }
  return text;
}

std::string_view word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view taken = line.substr(0, line.find(' '));
  line.remove_prefix(taken.size());
  return taken;
}

struct Question {
  nlmsghdr header{};
  inet_diag_req_v2 request{};
};

// An end of a connection, as questions have it.
struct End {
  std::uint8_t family = AF_INET;
  std::uint32_t address[4] = {};
  std::uint16_t port = 0;
};

// IPv4 over a socket of IPv6 is IPv4.
End end_of(const sockaddr_storage& socket) {
  End end;
  if (socket.ss_family != AF_INET6) {
    sockaddr_in v4{};
    std::memcpy(&v4, &socket, sizeof v4);
    end.address[0] = v4.sin_addr.s_addr;
    end.port = v4.sin_port;
    return end;
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &socket, sizeof v6);
  const bool is_v4 = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
  end.family = is_v4 ? AF_INET : AF_INET6;
  std::memcpy(end.address, v6.sin6_addr.s6_addr + (is_v4 ? 12 : 0), is_v4 ? 4 : 16);
  end.port = v6.sin6_port;
  return end;
}

Question about(const End& one, const End& other) {
  Question question;
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.request.sdiag_family = one.family;
  question.request.sdiag_protocol = IPPROTO_TCP;
  question.request.idiag_states = ~std::uint32_t{0};
  question.request.id.idiag_sport = one.port;
  question.request.id.idiag_dport = other.port;
  std::memcpy(question.request.id.idiag_src, one.address, sizeof one.address);
  std::memcpy(question.request.id.idiag_dst, other.address, sizeof other.address);
  question.request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  question.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return question;
}

// What the kernel tells of the socket at `one` that talks to `other`: that one, or what listens
// there, if there is no such connection. Nothing where it knows neither, or answers no questions.
std::optional<inet_diag_msg> asked(const End& one, const End& other) {
  const process::UniqueFd kernel(
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  const Question question = about(one, other);
  if (!kernel || ::send(kernel.get(), &question, sizeof question, 0) < 0) return std::nullopt;
  struct {
    nlmsghdr header;
    inet_diag_msg found;
    std::array<char, 4096> attributes;
  } answer{};
  const ssize_t got = ::recv(kernel.get(), &answer, sizeof answer, MSG_DONTWAIT);
  constexpr ssize_t kShortest = sizeof answer.header + sizeof answer.found;
  if (got < kShortest || answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  return answer.found;
}

bool is_connected(const inet_diag_msg& found, const End& to) {
  return found.id.idiag_dport == to.port && found.idiag_state == TCP_ESTABLISHED;
}

}  // namespace

std::optional<uid_t> owner_in(std::string_view table, std::uint32_t local, std::uint16_t local_port,
                              std::uint32_t remote, std::uint16_t remote_port) {
  const std::string ends =
      fmt::format(": {:08X}:{:04X} {:08X}:{:04X} ", local, local_port, remote, remote_port);
  const std::size_t at = table.find(ends);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = table.substr(at + ends.size());
  rest = rest.substr(0, rest.find('\n'));
  if (word(rest) != "01") return std::nullopt;  // TCP_ESTABLISHED
  // queues, timer, retransmissions, then the owner
  for (int skipped = 0; skipped < 3; ++skipped) word(rest);
  const std::string_view number = word(rest);
  uid_t owner = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), owner);
  if (error != std::errc{} || number.empty()) return std::nullopt;
  return owner;
}

std::optional<uid_t> loopback_peer(int socket) {
  sockaddr_storage own{};
  sockaddr_storage other{};
  socklen_t size = sizeof own;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0) return std::nullopt;
  size = sizeof other;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&other), &size) != 0) return std::nullopt;
  const End here = end_of(own);
  const End there = end_of(other);
  if (const auto found = asked(there, here)) {
    return is_connected(*found, here) ? std::optional<uid_t>(found->idiag_uid) : std::nullopt;
  }
  // It answers: there is no such connection any more.
  if (asked(here, there) || here.family != AF_INET) return std::nullopt;
  // The table takes milliseconds to read, however few its entries are.
  return owner_in(read_table(), there.address[0], ntohs(there.port), here.address[0],
                  ntohs(here.port));
}

}  // namespace muster::pmix
