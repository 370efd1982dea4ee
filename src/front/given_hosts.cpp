// Asks the sources of host lists.
#include "front/given_hosts.hpp"

#include "front/asked.hpp"

namespace muster::front {

base::Result<spec::HostsFound> hosts_in_file(const Asked& asked, const std::string& path) {
  return spec::find_hosts({.file = path, .read_file = asked.read_file});
}

base::Result<spec::HostsFound> typed_hosts(const Asked& asked,
                                           const std::optional<std::string>& list,
                                           const std::string& file) {
  return spec::find_hosts({.list = list, .file = file, .read_file = asked.read_file});
}

base::Result<spec::HostsFound> given_hosts(const Asked& asked,
                                           const std::optional<std::string>& list,
                                           const std::string& file, bool rehearses) {
  spec::HostsAsked all{.list = list, .file = file, .read_file = asked.read_file};
  if (!rehearses) all.variable = [&](std::string_view name) { return variable(asked, name); };
  return spec::find_hosts(all);
}

}  // namespace muster::front
