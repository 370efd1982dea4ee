// Binding by local rank: lists of cpus that the user wrote, and Hydra's ways.
#include "plan/binding.hpp"

namespace muster::plan {
namespace {

using base::Fault;
using model::BindTo;
using model::CpuSet;
using model::Host;
using model::Level;
using model::Mapping;
using model::RankfileEntry;
using model::Topology;

base::Result<CpuSet> listed_cpu(const Mapping& mapping, const Host& host, std::uint32_t number,
                                const base::Place& place) {
  const CpuSet cpu = numbered_cpu(*host.topology, mapping.hwthread_cpus, number);
  const CpuSet usable = cpu & host.topology->allowed;
  if (!usable.empty()) return usable;
  return base::fail_at(place, Fault::usage, {}, "cpu {} {} {}", number,
                       cpu.empty() ? "does not exist on" : "may not be used on", host.name);
}

// The sets of a host's local ranks 0, 1, ... for the ways that do not ask for the rank. A rank past
// the end takes the first again where `repeats`, and is not bound otherwise.
struct LocalSets {
  std::vector<CpuSet> sets;
  bool repeats = false;
};

base::Result<LocalSets> from_cpu_list(const Mapping& mapping, const Host& host) {
  LocalSets result;
  CpuSet whole;
  CpuSet part;
  std::uint32_t cpus = 0;
  for (const std::uint32_t number : mapping.cpu_list) {
    const auto cpu = listed_cpu(mapping, host, number, {});
    if (!cpu) return tl::unexpected(cpu.error());
    whole |= *cpu;
    part |= *cpu;
    if (++cpus % mapping.cpus_per_rank != 0) continue;
    result.sets.push_back(part);
    part = CpuSet();
  }
  if (whole.empty())
    return base::fail(Fault::usage, {}, "binding to a cpu list needs a list of cpus");
  const bool ordered = mapping.bind_ordered || mapping.map_by == model::MapBy::pe_list;
  if (!ordered) return LocalSets{{whole}, true};
  result.repeats = mapping.bind_overload;
  return result;
}

LocalSets round_robin(const Hardware& hardware) {
  LocalSets result{{}, true};
  for (const auto& thread : hardware.at(Level::hwthread)) result.sets.push_back(thread.set);
  return result;
}

base::Result<LocalSets> from_user(const Mapping& mapping, const Host& host) {
  LocalSets result;
  for (const CpuSet& set : mapping.user_sets) {
    if (set.empty() || !set.within(host.topology->allowed)) {
      return base::fail(Fault::usage,
                        fmt::format("cpus {} of {} may be used",
                                    model::to_string(host.topology->allowed), host.name),
                        "binding to user:{} is not possible on {}",
                        set.empty() ? "nothing" : model::to_string(set), host.name);
    }
    result.sets.push_back(set);
  }
  return result;
}

base::Result<LocalSets> local_sets(const Mapping& mapping, const Host& host,
                                   HardwareOfHosts& hardware) {
  const auto known = hardware.find(host, mapping);
  if (!known) return tl::unexpected(known.error());
  if (mapping.bind_to == BindTo::cpu_list) return from_cpu_list(mapping, host);
  if (mapping.bind_to == BindTo::user) return from_user(mapping, host);
  if (mapping.bind_to == BindTo::rr) return round_robin(**known);
  auto sets = hydra_sets(**known, mapping, host.name);
  if (!sets) return tl::unexpected(sets.error());
  return LocalSets{std::move(*sets), true};
}

tl::unexpected<base::Error> list_too_short(const Host& host, std::size_t cpus) {
  return base::fail(Fault::usage, "list more cpus, or run fewer ranks there",
                    "the cpu list has cpus for {} rank{} on {}, where more are to run", cpus,
                    cpus == 1 ? "" : "s", host.name);
}

base::Result<void> bind_in_turn(const Mapping& mapping, const model::Inventory& inventory,
                                HardwareOfHosts& hardware, std::vector<Assignment>& assignments,
                                SetTable& table) {
  std::map<const Topology*, std::pair<std::vector<std::uint32_t>, bool>> known;
  std::vector<std::uint32_t> next(inventory.hosts.size());
  for (Assignment& assignment : assignments) {
    const Host& host = inventory.hosts[assignment.host];
    const auto [at, is_new] = known.try_emplace(host.topology.value.get());
    auto& [indexes, repeats] = at->second;
    if (is_new) {
      const auto made = local_sets(mapping, host, hardware);
      if (!made) return tl::unexpected(made.error());
      for (const CpuSet& set : made->sets) indexes.push_back(table.index_of(set));
      repeats = made->repeats;
    }
    const std::uint32_t local = next[assignment.host]++;
    if (local < indexes.size() || repeats) {
      assignment.set = indexes[local % indexes.size()];
    } else if (mapping.bind_to == BindTo::cpu_list) {
      return list_too_short(host, indexes.size());
    }
  }
  return {};
}

// Cores of sockets: "S:C", "S:C-D", "*:C".
base::Result<CpuSet> socket_cores(const RankfileEntry& entry, const RankfileEntry::Cores& wanted,
                                  const Host& host) {
  const Topology& topology = *host.topology;
  CpuSet set;
  for (std::uint32_t s = 0; s < topology.at(Level::package).size(); ++s) {
    if (wanted.socket && *wanted.socket != s) continue;
    std::uint32_t number = 0;
    for (const CpuSet& core : topology.at(Level::core)) {
      if (!core.within(topology.at(Level::package)[s])) continue;
      if (number >= wanted.first && (!wanted.last || number <= *wanted.last)) set |= core;
      ++number;
    }
    if (wanted.last && *wanted.last >= number) {
      return base::fail_at(entry.place, Fault::bad_file, {},
                           "socket {} of {} has {} core{}: there is no core {}", s, host.name,
                           number, number == 1 ? "" : "s", *wanted.last);
    }
  }
  set &= topology.allowed;
  if (!set.empty()) return set;
  return base::fail_at(entry.place, Fault::bad_file, {},
                       "{} has no such socket and core that this job may use", host.name);
}

base::Result<CpuSet> set_of_entry(const Mapping& mapping, const RankfileEntry& entry,
                                  const Host& host) {
  CpuSet set;
  for (const std::uint32_t number : entry.cpus) {
    const auto cpu = listed_cpu(mapping, host, number, entry.place);
    if (!cpu) return tl::unexpected(cpu.error());
    set |= *cpu;
  }
  for (const RankfileEntry::Cores& cores : entry.cores) {
    const auto cpus = socket_cores(entry, cores, host);
    if (!cpus) return tl::unexpected(cpus.error());
    set |= *cpus;
  }
  if (!set.empty()) return set;
  return base::fail_at(entry.place, Fault::bad_file, "write slot=0, slot=0-3 or slot=SOCKET:CORE",
                       "rank {} has no slot", entry.rank.value);
}

base::Result<void> bind_by_rankfile(const Mapping& mapping, const model::Inventory& inventory,
                                    HardwareOfHosts& hardware, std::vector<Assignment>& assignments,
                                    SetTable& table) {
  for (const RankfileEntry& entry : mapping.rankfile) {
    if (entry.rank.value >= assignments.size()) continue;
    Assignment& assignment = assignments[entry.rank.value];
    const Host& host = inventory.hosts[assignment.host];
    const auto known = hardware.find(host, mapping);
    if (!known) return tl::unexpected(known.error());
    const auto set = set_of_entry(mapping, entry, host);
    if (!set) return tl::unexpected(set.error());
    assignment.set = table.index_of(*set);
  }
  return {};
}

}  // namespace

base::Result<void> bind_by_local_rank(const model::JobSpec& spec, const model::Inventory& inventory,
                                      HardwareOfHosts& hardware,
                                      std::vector<Assignment>& assignments, SetTable& sets) {
  const Mapping& mapping = spec.mapping;
  if (mapping.map_by == model::MapBy::rankfile) {
    return bind_by_rankfile(mapping, inventory, hardware, assignments, sets);
  }
  return bind_in_turn(mapping, inventory, hardware, assignments, sets);
}

}  // namespace muster::plan
