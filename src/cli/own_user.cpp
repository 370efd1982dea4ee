// The environment says it: a name service need not be asked.
#include "cli/own_user.hpp"

#include <unistd.h>

#include "base/variables.hpp"
#include "probe/probe.hpp"

namespace muster::cli {

std::string own_user(const std::vector<std::string>& environment) {
  const auto name = base::value_of(environment, "USER");
  return name.empty() ? std::to_string(::geteuid()) : std::string(name);
}

std::string user_everywhere(const std::vector<std::string>& environment) {
  std::string name = own_user(environment);
  if (name == "root" || name == "0") name = "root@" + probe::hostname();
  return name;
}

}  // namespace muster::cli
