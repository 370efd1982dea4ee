// The addresses of a host's name, as the system's name service tells them.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace muster::probe {

// "10.0.0.1" or "fe80::1%eth0", at least one, the best first. An address is its own answer; for
// names the helper program is started. Fault::unreachable with the name service's words.
[[nodiscard]] base::Result<std::vector<std::string>> resolve(const std::string& name);

}  // namespace muster::probe
