// Looks at a connection's other end.
#include "head/peers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "pmix/loopback_peer.hpp"
#include "probe/probe.hpp"

namespace muster::head {
namespace {

void insert(std::set<asio::ip::address>& addresses, const std::string& text) {
  std::error_code error;
  const auto address = asio::ip::make_address(text, error);
  if (!error) addresses.insert(address);
}

// A socket of IPv6 has IPv4 addresses within those.
asio::ip::address plain(const asio::ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

}  // namespace

Peers::Peers(const std::set<std::string>& hosts) {
  for (const std::string& text : hosts) insert(hosts_, text);
  for (const model::Interface& one : probe::interfaces()) insert(own_, one.address);
}

bool Peers::is_here(const asio::ip::address& address) const {
  return address.is_loopback() || own_.contains(address);
}

bool Peers::is_another_users(asio::ip::tcp::socket& connection) const {
  std::error_code gone;
  if (!is_here(plain(connection.remote_endpoint(gone).address())) || gone) return false;
  const auto owner = pmix::loopback_peer(connection.native_handle());
  return owner && *owner != ::geteuid();
}

std::optional<std::string> Peers::objection(asio::ip::tcp::socket& connection) const {
  std::error_code error;
  const auto address = connection.remote_endpoint(error).address();
  if (error) return std::nullopt;
  if (!is_here(address)) {
    if (hosts_.contains(address)) return "";
    return fmt::format("{} is not a host of this job", address.to_string());
  }
  const auto owner = pmix::loopback_peer(connection.native_handle());
  if (owner == ::geteuid()) return "";
  if (owner) return fmt::format("another user connects from {}", address.to_string());
  // Not every kernel answers questions about IPv6.
  return address.is_v6() ? std::optional<std::string>("") : std::nullopt;
}

base::Error another_users() {
  return {base::Fault::usage,
          "it is another user's; --rdzv-secret-file FILE lets in whoever has the same file",
          {},
          {}};
}

}  // namespace muster::head
