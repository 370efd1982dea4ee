// Asks the sources of hosts.
#include "front/hosts.hpp"

#include "front/asked.hpp"

namespace muster::front {

using base::Result;

Result<void> check_one_source(const NamedHosts& hosts, std::string_view hint) {
  if (!hosts.list || hosts.file.empty()) return {};
  return base::fail(base::Fault::usage, std::string(hint), "-H and --hostfile cannot be combined");
}

Result<spec::HostsFound> hosts_in_file(const Asked& asked, const std::string& path) {
  return named_hosts(asked, {.file = path});
}

Result<spec::HostsFound> named_hosts(const Asked& asked, const NamedHosts& hosts,
                                     const spec::HostForm& form) {
  return spec::find_hosts(
      {.list = hosts.list, .file = hosts.file, .read_file = asked.read_file, .form = form});
}

Result<spec::HostsFound> given_hosts(const Asked& asked, const model::JobSpec& spec,
                                     const NamedHosts& hosts, const spec::HostForm& form) {
  if (spec.fake_nodes > 0) return named_hosts(asked, hosts, form);
  return spec::find_hosts({.list = hosts.list,
                           .file = hosts.file,
                           .read_file = asked.read_file,
                           .variable = [&](std::string_view name) { return variable(asked, name); },
                           .form = form});
}

}  // namespace muster::front
