// Asks the kernel for all TCP connections, sock_diag(7).
#include "probe/heard_from.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <optional>
#include <string_view>
#include <sys/socket.h>

#include "probe/addresses.hpp"
#include "process/unique_fd.hpp"

namespace muster::probe {
namespace {

constexpr std::uint32_t kEstablished = 1u << 1;  // of TCP_ESTABLISHED

struct Question {
  nlmsghdr header;
  inet_diag_req_v2 wanted;
};

bool ask(int netlink, std::uint8_t family) {
  Question question{};
  question.header.nlmsg_len = sizeof(question);
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.wanted.sdiag_family = family;
  question.wanted.sdiag_protocol = IPPROTO_TCP;
  question.wanted.idiag_ext = 1u << (INET_DIAG_INFO - 1);
  question.wanted.idiag_states = kEstablished;
  return ::send(netlink, &question, sizeof(question), 0) == ssize_t{sizeof(question)};
}

// The beginning of `bytes`; what an older kernel leaves out is 0.
template <class Value>
Value begin_of(std::string_view bytes) {
  Value value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(value)));
  return value;
}

// Calls found(header, content) for each part, of which Header is the beginning; `length` is its
// field that tells the size of the whole. Parts begin at multiples of 4.
template <class Header, class Length, class Found>
void for_each_part(std::string_view bytes, Length Header::*length, Found found) {
  while (bytes.size() >= sizeof(Header)) {
    const auto header = begin_of<Header>(bytes);
    const std::size_t size = header.*length;
    if (size < sizeof(Header) || size > bytes.size()) return;
    found(header, bytes.substr(sizeof(Header), size - sizeof(Header)));
    bytes.remove_prefix(std::min<std::size_t>(NLMSG_ALIGN(size), bytes.size()));
  }
}

std::optional<Address> peer_of(const inet_diag_msg& connection) {
  sockaddr_storage peer{};
  auto* v4 = reinterpret_cast<sockaddr_in*>(&peer);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&peer);
  peer.ss_family = connection.idiag_family;
  if (connection.idiag_family == AF_INET) {
    std::memcpy(&v4->sin_addr, connection.id.idiag_dst, sizeof(v4->sin_addr));
  } else {
    std::memcpy(&v6->sin6_addr, connection.id.idiag_dst, sizeof(v6->sin6_addr));
  }
  return Address::from(reinterpret_cast<const sockaddr*>(&peer));
}

// How long nothing has come over a connection, which the kernel counts in milliseconds.
std::optional<base::Duration> silence_of(std::string_view attributes) {
  std::optional<base::Duration> silence;
  for_each_part(attributes, &rtattr::rta_len, [&](const rtattr& header, std::string_view content) {
    if (header.rta_type != INET_DIAG_INFO) return;
    const auto info = begin_of<tcp_info>(content);
    silence =
        std::chrono::milliseconds(std::min(info.tcpi_last_data_recv, info.tcpi_last_ack_recv));
  });
  return silence;
}

// Calls found(connection, its attributes) for each connection of the answer.
template <class Found>
void read_answer(int netlink, Found found) {
  std::array<char, 32u << 10> bytes;
  bool has_more = true;
  while (has_more) {
    ssize_t count = 0;
    do count = ::recv(netlink, bytes.data(), bytes.size(), 0);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return;
    const std::string_view came(bytes.data(), static_cast<std::size_t>(count));
    for_each_part(came, &nlmsghdr::nlmsg_len, [&](const nlmsghdr& header, std::string_view part) {
      has_more = header.nlmsg_type == SOCK_DIAG_BY_FAMILY;  // else NLMSG_DONE or NLMSG_ERROR
      if (!has_more || part.size() < sizeof(inet_diag_msg)) return;
      found(begin_of<inet_diag_msg>(part), part.substr(sizeof(inet_diag_msg)));
    });
  }
}

}  // namespace

bool heard_from(const std::string& address, base::Duration within) {
  const auto wanted = Address::parse(address);
  if (!wanted) return false;
  const process::UniqueFd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink) return false;
  bool heard = false;
  for (const std::uint8_t family : {AF_INET, AF_INET6}) {
    if (!ask(netlink.get(), family)) continue;
    read_answer(netlink.get(), [&](const inet_diag_msg& connection, std::string_view attributes) {
      if (peer_of(connection) != wanted) return;
      const auto silence = silence_of(attributes);
      heard |= silence && *silence <= within;
    });
  }
  return heard;
}

}  // namespace muster::probe
