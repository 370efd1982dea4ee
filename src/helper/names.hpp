// The addresses of a host's name, as the system's name service tells them.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace muster::helper {

// "10.0.0.1" or "fe80::1%eth0", at least one, the best first. Fault::unreachable with the name
// service's words.
[[nodiscard]] base::Result<std::vector<std::string>> addresses_of(const std::string& name);

}  // namespace muster::helper
