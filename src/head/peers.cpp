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

}  // namespace

Peers::Peers(const std::set<std::string>& hosts) {
  for (const std::string& text : hosts) insert(hosts_, text);
  for (const model::Interface& one : probe::interfaces()) insert(own_, one.address);
}

std::optional<std::string> Peers::objection(asio::ip::tcp::socket& connection) const {
  std::error_code error;
  const auto address = connection.remote_endpoint(error).address();
  if (error) return std::nullopt;
  if (!address.is_loopback() && !own_.contains(address)) {
    if (hosts_.contains(address)) return "";
    return fmt::format("{} is not a host of this job", address.to_string());
  }
  if (address.is_v6()) return "";  // the kernel is only asked about IPv4 connections
  const auto owner = pmix::loopback_peer(connection.native_handle());
  if (!owner) return std::nullopt;
  if (*owner == ::geteuid()) return "";
  return fmt::format("another user connects from {}", address.to_string());
}

}  // namespace muster::head
