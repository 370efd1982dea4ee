// typed_list: hosts that were typed with commas between them.
#include "spec/hosts.hpp"
#include "spec/sources.hpp"

namespace muster::spec {

base::Result<std::optional<HostsFound>> typed_list(const HostQuery& asked) {
  if (!asked.list) return std::nullopt;
  return read_host_list(*asked.list, asked.form.empty_entry).map([&](auto hosts) {
    const std::string name(asked.form.list_option);
    return std::optional(HostsFound{model::kHostsListed, name, std::move(hosts)});
  });
}

}  // namespace muster::spec
