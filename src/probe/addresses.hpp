// IP addresses as bytes, so that different spellings of one address are equal.
#pragma once

#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace muster::probe {

// 16 bytes; an IPv4 address in its mapped form (::ffff:a.b.c.d).
class Address {
 public:
  // From "10.0.0.1", "::1", "[::1]" or "fe80::1%eth0" (the scope is dropped); nothing for a name.
  [[nodiscard]] static std::optional<Address> parse(std::string text);
  // Nothing for families other than IPv4 and IPv6, and for nullptr.
  [[nodiscard]] static std::optional<Address> from(const sockaddr* socket_address);

  [[nodiscard]] bool is_loopback() const;    // 127.0.0.0/8 or ::1
  [[nodiscard]] bool is_link_local() const;  // IPv6 only
  [[nodiscard]] std::string text() const;
  bool operator==(const Address& other) const;

 private:
  [[nodiscard]] static Address mapped(const in_addr& address);
  [[nodiscard]] bool is_v4() const;
  in6_addr bytes_{};
};

struct InterfaceAddress {
  std::string interface;
  Address address;
};
// All addresses of all interfaces that are up, loopback too, as the kernel lists them.
[[nodiscard]] std::vector<InterfaceAddress> interface_addresses();

}  // namespace muster::probe
