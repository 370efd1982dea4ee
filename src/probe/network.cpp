// The interfaces over which others can reach this machine, and how ssh was reached.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <optional>
#include <sstream>
#include <sys/socket.h>

#include "probe/addresses.hpp"
#include "probe/probe.hpp"

namespace muster::probe {

std::vector<model::Interface> interfaces() {
  std::vector<model::Interface> found;
  for (const auto& [name, address] : interface_addresses()) {
    if (address.is_loopback() || address.is_link_local()) continue;
    found.push_back({name, address.text()});
  }
  return found;
}

SshConnection ssh_connection(const std::string& ssh_connection_variable) {
  std::istringstream words(ssh_connection_variable);
  SshConnection found;
  std::string client_port;
  std::string server_port;
  if (!(words >> found.client >> client_port >> found.server >> server_port)) return {};
  return found;
}

base::Result<std::string> address_of(const std::string& interface) {
  std::string found;
  std::string names;
  for (const InterfaceAddress& one : interface_addresses()) {
    if (names.find(one.interface) == std::string::npos) {
      names += (names.empty() ? "" : ", ") + one.interface;
    }
    if (one.interface != interface || one.address.is_link_local()) continue;
    std::string text = one.address.text();
    const bool v4 = text.find(':') == std::string::npos;
    if (found.empty() || v4) found = std::move(text);
    if (v4) break;
  }
  if (!found.empty()) return found;
  return base::fail(base::Fault::cannot_start, "there are " + names,
                    "no address of interface {} here", interface);
}

namespace {

// Nothing: it is no address.
std::optional<std::pair<sockaddr_storage, socklen_t>> any_port_of(const std::string& address) {
  constexpr std::uint16_t kDiscard = 9;
  sockaddr_storage to{};
  auto* v4 = reinterpret_cast<sockaddr_in*>(&to);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&to);
  if (::inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(kDiscard);
    return std::pair(to, socklen_t{sizeof(sockaddr_in)});
  }
  if (::inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) != 1) return std::nullopt;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(kDiscard);
  return std::pair(to, socklen_t{sizeof(sockaddr_in6)});
}

}  // namespace

SshConnection ends_towards(const std::string& address) {
  const auto to = any_port_of(address);
  if (!to) return {};
  const process::UniqueFd socket(::socket(to->first.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto* there = reinterpret_cast<const sockaddr*>(&to->first);
  if (!socket || ::connect(socket.get(), there, to->second) != 0) return {};
  return connection_ends(socket.get());
}

SshConnection connection_ends(int socket) {
  sockaddr_storage ours{};
  sockaddr_storage theirs{};
  socklen_t size = sizeof(ours);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &size);
  size = sizeof(theirs);
  ::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &size);
  const auto text = [](const sockaddr_storage& one) {
    const auto address = Address::from(reinterpret_cast<const sockaddr*>(&one));
    return address ? address->text() : std::string();
  };
  return {text(theirs), text(ours)};
}

}  // namespace muster::probe
