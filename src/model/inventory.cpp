// Compares names of hosts.
#include "model/inventory.hpp"

#include <algorithm>

namespace muster::model {

bool may_mean(const Host& called, const Host& host, const std::optional<HostFacts>& facts) {
  if (!called.user.empty() && called.user != host.user) return false;
  if (called.port != 0 && called.port != host.port) return false;
  if (called.name == host.name || (facts && facts->hostname == called.name)) return true;
  return std::ranges::find(host.aliases, called.name) != host.aliases.end();
}

}  // namespace muster::model
