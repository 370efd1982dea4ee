// What has lately come from another machine, as its TCP connections show.
#pragma once

#include <string>

#include "base/time.hpp"

namespace muster::probe {

// Whether anything has come from this address (IPv4 or IPv6, as text) within this time over any
// established TCP connection of this network namespace: data, or just its kernel's acknowledgement
// of what was sent. False where the kernel does not tell (sock_diag(7), CONFIG_INET_DIAG).
[[nodiscard]] bool heard_from(const std::string& address, base::Duration within);

}  // namespace muster::probe
