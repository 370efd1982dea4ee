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

Question about(const sockaddr_in& one, const sockaddr_in& other) {
  Question question;
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.request.sdiag_family = AF_INET;
  question.request.sdiag_protocol = IPPROTO_TCP;
  question.request.idiag_states = ~std::uint32_t{0};
  question.request.id.idiag_sport = one.sin_port;
  question.request.id.idiag_dport = other.sin_port;
  question.request.id.idiag_src[0] = one.sin_addr.s_addr;
  question.request.id.idiag_dst[0] = other.sin_addr.s_addr;
  question.request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  question.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return question;
}

// What the kernel tells of the socket at `one` that talks to `other`: that one, or what listens
// there, if there is no such connection. Nothing where it knows neither, or answers no questions.
std::optional<inet_diag_msg> asked(const sockaddr_in& one, const sockaddr_in& other) {
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

bool is_connected(const inet_diag_msg& found, const sockaddr_in& to) {
  return found.id.idiag_dport == to.sin_port && found.idiag_state == TCP_ESTABLISHED;
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
  sockaddr_in here{};
  sockaddr_in there{};
  socklen_t size = sizeof here;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &size) != 0) return std::nullopt;
  size = sizeof there;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&there), &size) != 0) return std::nullopt;
  if (const auto found = asked(there, here)) {
    return is_connected(*found, here) ? std::optional<uid_t>(found->idiag_uid) : std::nullopt;
  }
  if (asked(here, there)) return std::nullopt;  // it answers: there is no such connection any more
  // The table takes milliseconds to read, however few its entries are.
  return owner_in(read_table(), there.sin_addr.s_addr, ntohs(there.sin_port), here.sin_addr.s_addr,
                  ntohs(here.sin_port));
}

}  // namespace muster::pmix
