// is_loopback: whether each host takes an address for itself. Pure.
#pragma once

#include <string_view>

namespace muster::base {

// A name or an address of the loopback interface.
[[nodiscard]] constexpr bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

}  // namespace muster::base
