// Asks this machine what the plan of hosts depends on.
#include "cli/inventory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "cli/speak.hpp"
#include "host/device_listing.hpp"
#include "plan/plan.hpp"
#include "probe/claims.hpp"
#include "probe/devices.hpp"
#include "probe/near_devices.hpp"
#include "probe/numa.hpp"
#include "probe/probe.hpp"
#include "probe/topology.hpp"
#include "process/ownership.hpp"
#include "spec/check.hpp"

namespace muster::cli {
namespace {

using base::Result;

// Each once, since to look one up may take long.
std::vector<std::string> names_written(const model::JobSpec& spec) {
  std::vector<std::string> names;
  for (const model::HostEntry& entry : spec.hosts) names.push_back(entry.name);
  for (const model::RankfileEntry& entry : spec.mapping.rankfile) {
    if (!entry.host.starts_with('+')) names.push_back(entry.host);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Result<plan::ThisMachine> this_machine(const model::JobSpec& spec,
                                       const std::vector<model::SameHost>& same,
                                       const std::vector<std::string>& environment) {
  const std::vector<std::string> names = names_written(spec);
  plan::ThisMachine here;
  here.same_hosts = same;
  here.cpus = probe::cpus();
  here.hostname = probe::hostname();
  here.has_head_above = process::is_own_socket(spec.carrier.above);
  if (!names.empty()) here.local_names = probe::local_names(names);
  const bool binds_memory = spec.mapping.memory.mode != model::MemoryMode::inherited;
  if (binds_memory) here.numa = probe::numa_nodes();
  const bool counts_cores = spec.slot_rule == model::SlotRule::open_mpi ||
                            std::ranges::any_of(spec.hosts, &model::HostEntry::slots_are_cores);
  if (plan::needs_topology(spec) || counts_cores) {
    auto topology = probe::read_topology();
    if (!topology) return tl::unexpected(topology.error());
    if (plan::needs_topology(spec)) {
      topology->claimed = probe::claimed_by_others(topology->allowed);
      const auto told = host::DeviceListing::now(probe::devices("", environment), environment);
      if (!told.unanswered.empty()) note(fmt::format("{}: {}", here.hostname, told.unanswered));
      topology->devices = probe::near_devices(environment, *topology, "", told.text);
    }
    here.topology.value = std::make_shared<const model::Topology>(std::move(*topology));
  }
  return here;
}

}  // namespace

Result<model::Inventory> inventory_of(const model::JobSpec& spec,
                                      const std::vector<model::SameHost>& same,
                                      const std::vector<std::string>& environment) {
  return spec::check(spec)
      .and_then([&] { return this_machine(spec, same, environment); })
      .and_then([&](auto here) { return plan::inventory(spec, here); });
}

}  // namespace muster::cli
