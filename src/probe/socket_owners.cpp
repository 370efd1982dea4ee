// Asks the kernel for a list of all local sockets.
#include "probe/socket_owners.hpp"

#include <cstring>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "process/unique_fd.hpp"

namespace muster::probe {
namespace {

using Owners = std::map<std::uint64_t, std::uint32_t>;

bool ask_for_owners(int socket) {
  struct {
    nlmsghdr header;
    unix_diag_req request;
  } asked{};
  asked.header.nlmsg_len = sizeof(asked);
  asked.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  asked.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  asked.request.sdiag_family = AF_UNIX;
  asked.request.udiag_states = UINT32_MAX;
  asked.request.udiag_show = UDIAG_SHOW_UID;
  return ::send(socket, &asked, sizeof(asked), 0) == sizeof(asked);
}

template <class Part>
Part part_at(const char* bytes) {
  Part part{};
  std::memcpy(&part, bytes, sizeof(part));
  return part;
}

// A socket, and behind it attributes, each with its length.
void take_socket(const char* bytes, std::size_t size, Owners& owners) {
  if (size < sizeof(unix_diag_msg)) return;
  const auto inode = part_at<unix_diag_msg>(bytes).udiag_ino;
  for (std::size_t at = NLMSG_ALIGN(sizeof(unix_diag_msg)); at + sizeof(rtattr) <= size;) {
    const auto attribute = part_at<rtattr>(bytes + at);
    if (attribute.rta_len < sizeof(rtattr) || at + attribute.rta_len > size) return;
    const bool is_owner = attribute.rta_type == UNIX_DIAG_UID &&
                          attribute.rta_len >= RTA_LENGTH(sizeof(std::uint32_t));
    if (is_owner) owners[inode] = part_at<std::uint32_t>(bytes + at + RTA_LENGTH(0));
    at += RTA_ALIGN(attribute.rta_len);
  }
}

// Of one answer. False: the list is over.
bool take_sockets(const char* bytes, std::size_t size, Owners& owners) {
  for (std::size_t at = 0; at + sizeof(nlmsghdr) <= size;) {
    const auto header = part_at<nlmsghdr>(bytes + at);
    if (header.nlmsg_len < sizeof(nlmsghdr) || at + header.nlmsg_len > size) return false;
    if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return false;
    take_socket(bytes + at + NLMSG_HDRLEN, header.nlmsg_len - NLMSG_HDRLEN, owners);
    at += NLMSG_ALIGN(header.nlmsg_len);
  }
  return true;
}

}  // namespace

Owners socket_owners() {
  constexpr std::size_t kAnswerSize = std::size_t{64} << 10;
  Owners owners;
  const process::UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!socket || !ask_for_owners(socket.get())) return owners;
  std::vector<char> answer(kAnswerSize);
  for (;;) {
    const ssize_t size = ::recv(socket.get(), answer.data(), answer.size(), 0);
    if (size <= 0) return owners;
    if (!take_sockets(answer.data(), static_cast<std::size_t>(size), owners)) return owners;
  }
}

}  // namespace muster::probe
