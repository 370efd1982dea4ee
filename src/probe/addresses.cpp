// Reads, compares and prints IP addresses, and asks the kernel for this machine's.
#include "probe/addresses.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>

namespace muster::probe {
namespace {

constexpr std::size_t kMappedAt = 12;  // where the IPv4 address lies in a mapped one

struct FreeInterfaces {
  void operator()(ifaddrs* list) const { ::freeifaddrs(list); }
};

}  // namespace

Address Address::mapped(const in_addr& address) {
  Address result;
  result.bytes_.s6_addr[10] = result.bytes_.s6_addr[11] = 0xff;
  std::memcpy(result.bytes_.s6_addr + kMappedAt, &address, sizeof address);
  return result;
}

std::optional<Address> Address::parse(std::string text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
  }
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return mapped(v4);
  Address result;
  text.resize(std::min(text.find('%'), text.size()));
  if (::inet_pton(AF_INET6, text.c_str(), &result.bytes_) == 1) return result;
  return std::nullopt;
}

std::optional<Address> Address::from(const sockaddr* socket_address) {
  if (socket_address == nullptr) return std::nullopt;
  if (socket_address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, socket_address, sizeof v4);
    return mapped(v4.sin_addr);
  }
  if (socket_address->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6{};
  std::memcpy(&v6, socket_address, sizeof v6);
  Address result;
  result.bytes_ = v6.sin6_addr;
  return result;
}

bool Address::is_v4() const { return IN6_IS_ADDR_V4MAPPED(&bytes_) != 0; }

bool Address::is_loopback() const {
  return is_v4() ? bytes_.s6_addr[kMappedAt] == 127 : IN6_IS_ADDR_LOOPBACK(&bytes_) != 0;
}

bool Address::is_link_local() const { return IN6_IS_ADDR_LINKLOCAL(&bytes_) != 0; }

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const bool v4 = is_v4();
  const void* const from = v4 ? bytes_.s6_addr + kMappedAt : bytes_.s6_addr;
  ::inet_ntop(v4 ? AF_INET : AF_INET6, from, buffer.data(), buffer.size());
  return buffer.data();
}

bool Address::operator==(const Address& other) const {
  return std::memcmp(&bytes_, &other.bytes_, sizeof bytes_) == 0;
}

std::vector<InterfaceAddress> interface_addresses() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, FreeInterfaces> list(first);
  std::vector<InterfaceAddress> found;
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    const auto address = Address::from(entry->ifa_addr);
    if (address && (entry->ifa_flags & IFF_UP) != 0) found.push_back({entry->ifa_name, *address});
  }
  return found;
}

}  // namespace muster::probe
