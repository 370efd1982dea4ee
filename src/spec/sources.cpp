// The table of sources.
#include "spec/sources.hpp"

#include <array>

namespace muster::spec {

std::span<const FindHosts> sources() {
  static constexpr std::array<FindHosts, 6> kSources = {typed_list,        typed_hostfile,
                                                        hostfile_around,   flux_job_around,
                                                        allocation_around, batch_job_around};
  return kSources;
}

base::Result<HostsFound> find_hosts(const HostQuery& asked, std::span<const FindHosts> among) {
  for (const FindHosts find : among) {
    auto found = find(asked);
    if (!found) return tl::unexpected(std::move(found.error()));
    if (!*found) continue;
    auto fine = check_form((*found)->hosts, asked.form, (*found)->source.is_file);
    return fine.map([&] { return std::move(**found); });
  }
  return HostsFound{};
}

void take_hosts(model::JobSpec& spec, HostsFound found) {
  spec.source = found.source;
  spec.source_name = std::move(found.name);
  spec.hosts = std::move(found.hosts);
}

}  // namespace muster::spec
