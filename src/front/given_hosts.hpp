// given_hosts: the hosts of a job, from a launcher's words or from what lies around it.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "front/front.hpp"
#include "spec/sources.hpp"

namespace muster::front {

// Of a hostfile's path: its hosts. Empty: none.
[[nodiscard]] base::Result<spec::HostsFound> hosts_in_file(const Asked& asked,
                                                           const std::string& path);

// Those of the words alone; both as typed.
[[nodiscard]] base::Result<spec::HostsFound> typed_hosts(const Asked& asked,
                                                         const std::optional<std::string>& list,
                                                         const std::string& file);

// Likewise; where both are missing, and nothing is rehearsed, the environment
// counts.
[[nodiscard]] base::Result<spec::HostsFound> given_hosts(const Asked& asked,
                                                         const std::optional<std::string>& list,
                                                         const std::string& file, bool rehearses);

}  // namespace muster::front
