// Counts what hosts take: slots, caps, objects.
#include "plan/capacity.hpp"

#include <algorithm>
#include <limits>

namespace muster::plan {
namespace {

using base::Fault;
using model::Host;
using model::Inventory;
using model::JobSpec;
using model::MapBy;

constexpr std::uint32_t kEndless = std::numeric_limits<std::uint32_t>::max();

// Open MPI counts cores, or hardware threads where these count as cpus
// (orte/mca/rmaps/base/rmaps_base_support_fns.c). `cpus` is what is known without a topology.
base::Result<std::uint32_t> counted_cores(const JobSpec& spec, const Host& host) {
  if (host.topology) {
    const auto hardware = usable_hardware(*host.topology, spec.mapping, host.name);
    if (!hardware) return tl::unexpected(hardware.error());
    return hardware->whole.cpus;
  }
  if (host.cpus) return host.cpus->usable;
  return base::fail_at(
      host.place, Fault::usage,
      fmt::format("write slots=N after {}, or give the number of ranks", host.name),
      "{} has no slots=N, and its number of cores is not known", host.name);
}

base::Result<void> count_slots(const JobSpec& spec, Host& host) {
  if (!host.slots_are_cores) return {};
  const auto cores = counted_cores(spec, host);
  if (!cores) return tl::unexpected(cores.error());
  host.slots = *cores;
  host.slots_are_cores = false;
  return {};
}

// PE=n of one object with fewer cpus (rmaps_rr_mappers.c, mapping-too-low).
base::Result<void> check_width(const model::Mapping& mapping, const Host& host,
                               const std::vector<Hardware::Object>& objects) {
  const bool by_object = mapping.map_by == MapBy::object || mapping.map_by == MapBy::distance;
  if (!by_object || mapping.cpus_per_rank == 1) return {};
  const auto least = std::ranges::min_element(objects, {}, &Hardware::Object::cpus);
  if (least == objects.end() || least->cpus >= mapping.cpus_per_rank) return {};
  return base::fail(Fault::usage, "map by something larger, for example --map-by slot:PE=n",
                    "{} cpus for each rank are more than the {} that a {} of {} has",
                    mapping.cpus_per_rank, least->cpus, model::name_of(mapping.level), host.name);
}

base::Result<std::uint32_t> objects_on(const model::Mapping& mapping, model::Level level,
                                       const Host& host, HardwareOfHosts& hardware) {
  const auto known = hardware.find(host, mapping);
  if (!known) return tl::unexpected(known.error());
  const auto& objects = (*known)->at(level);
  const auto wide_enough = check_width(mapping, host, objects);
  if (!wide_enough) return tl::unexpected(wide_enough.error());
  return static_cast<std::uint32_t>(objects.size());
}

Capacity capacity_of(const JobSpec& spec, const Host& host, std::optional<std::uint32_t> objects) {
  Capacity capacity;
  capacity.cap = std::min(host.max_slots.value_or(kEndless), spec.per_node.value_or(kEndless));
  if (spec.slot_rule == model::SlotRule::hydra) {
    capacity.slots = spec.per_node.value_or(host.slots);
    capacity.cap = kEndless;
    return capacity;
  }
  if (spec.mapping.map_by == MapBy::pe_list) {
    const auto places = spec.mapping.cpu_list.size() / spec.mapping.cpus_per_rank;
    capacity.cap = std::min<std::uint32_t>(capacity.cap, static_cast<std::uint32_t>(places));
  }
  if (objects) {
    capacity.objects = *objects;
    if (*objects == 0) capacity.cap = 0;
    if (spec.mapping.map_by == MapBy::ppr) {
      const std::uint64_t most = std::uint64_t{*objects} * spec.mapping.per_object;
      capacity.cap = static_cast<std::uint32_t>(std::min<std::uint64_t>(capacity.cap, most));
    }
  }
  capacity.slots = std::min(host.slots, capacity.cap);
  return capacity;
}

}  // namespace

bool is_served_as_is(const JobSpec& spec, const Inventory& inventory) {
  if (spec.slot_rule == model::SlotRule::open_mpi || spec.mapping.no_local) return false;
  return std::ranges::none_of(inventory.hosts, &Host::slots_are_cores);
}

base::Result<Inventory> served(const JobSpec& spec, Inventory inventory) {
  const auto is_here = [](const Host& host) { return host.carrier.is_this_machine(); };
  if (spec.mapping.no_local) std::erase_if(inventory.hosts, is_here);
  if (inventory.hosts.empty()) {
    return base::fail(Fault::usage, "list other hosts with -H or --hostfile",
                      "--nolocal leaves no host to run on");
  }
  if (spec.slot_rule == model::SlotRule::open_mpi) {
    std::stable_partition(inventory.hosts.begin(), inventory.hosts.end(), is_here);
  }
  for (Host& host : inventory.hosts) {
    const auto counted = count_slots(spec, host);
    if (!counted) return tl::unexpected(counted.error());
  }
  return inventory;
}

std::optional<model::Level> mapped_level(const model::Mapping& mapping) {
  if (mapping.map_by == MapBy::object || mapping.map_by == MapBy::ppr) return mapping.level;
  if (mapping.map_by == MapBy::distance) return model::Level::numa;
  return std::nullopt;
}

base::Result<std::vector<Capacity>> capacities(const JobSpec& spec, const Inventory& inventory,
                                               HardwareOfHosts& hardware) {
  auto level = mapped_level(spec.mapping);
  if (spec.slot_rule == model::SlotRule::hydra) level.reset();  // it only binds by objects
  const bool whole_hosts = level == model::Level::machine;
  std::vector<Capacity> result;
  result.reserve(inventory.hosts.size());
  std::uint64_t sum = 0;
  for (const Host& host : inventory.hosts) {
    std::optional<std::uint32_t> objects;
    if (whole_hosts) objects = 1;
    if (level && !whole_hosts) {
      const auto found = objects_on(spec.mapping, *level, host, hardware);
      if (!found) return tl::unexpected(found.error());
      objects = *found;
    }
    sum += objects.value_or(1);
    result.push_back(capacity_of(spec, host, objects));
  }
  if (sum > 0) return result;
  return base::fail(Fault::usage, "--map-by slot works on every host", "no host has {} to map by",
                    model::name_of(*level));
}

}  // namespace muster::plan
