// Own names: which host names mean this machine.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/addresses.hpp"

namespace muster::probe {

// What a machine knows about itself; plain values, so that any machine can be described in a test.
struct Self {
  std::string hostname;
  std::vector<Address> addresses;
  std::string hosts_file;  // text of /etc/hosts
  std::function<std::vector<Address>(const std::string&)> resolve;
};

[[nodiscard]] bool is_own_name(const Self& self, const std::string& name);

}  // namespace muster::probe
