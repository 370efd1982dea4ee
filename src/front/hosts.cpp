// Asks the sources of hosts.
#include "front/hosts.hpp"

#include "front/call.hpp"

namespace muster::front {

using base::Result;

Result<void> check_one_source(const NamedHosts& hosts, std::string_view hint) {
  if (!hosts.list || hosts.file.empty()) return {};
  return base::fail(base::Fault::usage, std::string(hint), "-H and --hostfile cannot be combined");
}

Result<spec::HostsFound> hosts_in_file(const Call& call, const std::string& path) {
  return named_hosts(call, {.file = path});
}

Result<spec::HostsFound> named_hosts(const Call& call, const NamedHosts& hosts,
                                     const spec::HostForm& form) {
  return spec::find_hosts(
      {.list = hosts.list, .file = hosts.file, .read_file = call.read_file, .form = form});
}

Result<spec::HostsFound> given_hosts(const Call& call, const model::JobSpec& spec,
                                     const NamedHosts& hosts, const spec::HostForm& form,
                                     std::string_view manager) {
  if (spec.fake_nodes > 0) return named_hosts(call, hosts, form);
  return spec::find_hosts({.list = hosts.list,
                           .file = hosts.file,
                           .read_file = call.read_file,
                           .read_around = call.read_around,
                           .variable = [&](std::string_view name) { return variable(call, name); },
                           .ask = call.ask,
                           .form = form,
                           .manager = manager});
}

}  // namespace muster::front
