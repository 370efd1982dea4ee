// place: gives every rank its node and its cpus, in time linear in ranks and hosts.
#include <algorithm>
#include <limits>
#include <numeric>

#include "plan/binding.hpp"
#include "plan/capacity.hpp"
#include "plan/claims.hpp"
#include "plan/distance.hpp"
#include "plan/gpu_binding.hpp"
#include "plan/identities.hpp"
#include "plan/listed.hpp"
#include "plan/memory.hpp"
#include "plan/plan.hpp"
#include "plan/ranking.hpp"
#include "plan/remedy.hpp"
#include "plan/roles.hpp"

namespace muster::plan {
namespace {

using base::NodeIndex;
using model::BindTo;
using model::Host;
using model::Inventory;
using model::JobSpec;
using model::MapBy;
using model::Mapping;
using model::Plan;
using model::SlotRule;

Total total_of(const std::vector<Capacity>& capacities) {
  Total total;
  for (const Capacity& capacity : capacities) {
    total.slots += capacity.slots;
    total.cap += capacity.cap;
  }
  return total;
}

std::uint64_t slots_of(const Inventory& inventory) {
  std::uint64_t sum = 0;
  for (const Host& host : inventory.hosts) sum += host.slots;
  return sum;
}

std::uint64_t wanted(const JobSpec& spec, const model::App& app, const Inventory& inventory,
                     const std::vector<Capacity>& capacities) {
  if (app.ranks) return *app.ranks;
  if (spec.mapping.map_by == MapBy::rankfile) return spec.mapping.rankfile.size();
  if (spec.mapping.map_by == MapBy::seq) return spec.hosts.size();
  const auto has_room = [](const Capacity& capacity) { return capacity.cap > 0; };
  const auto hosts = static_cast<std::uint64_t>(std::ranges::count_if(capacities, has_room));
  if (spec.mapping.map_by == MapBy::ppr) return total_of(capacities).cap;
  if (spec.per_node) return std::uint64_t{*spec.per_node} * hosts;
  const bool all_slots = spec.slot_rule == SlotRule::open_mpi;
  if (!inventory.source.has_list && !all_slots) return hosts;
  return app.hosts.empty() ? slots_of(inventory) : total_of(capacities).slots;
}

// On this machine too many ranks are slow, not wrong: a laptop must run -n 8 on four cores.
bool may_share_cores(const JobSpec& spec, const Inventory& inventory) {
  if (spec.slot_rule == SlotRule::hydra) return true;
  if (spec.mapping.no_oversubscribe) return false;
  if (spec.oversubscribe) return true;
  return !inventory.source.has_list && spec.slot_rule == SlotRule::muster;
}

std::string crowded(std::uint64_t ranks, const Inventory& inventory) {
  std::uint64_t cpus = 0;
  for (const Host& host : inventory.hosts) cpus += host.cpus ? host.cpus->usable : host.slots;
  return fmt::format("{} ranks on {} core{} of this machine: ranks take turns on them", ranks, cpus,
                     cpus == 1 ? "" : "s");
}

// Assignments of all apps in the order of dealing, and how many each app has.
struct Dealt {
  std::vector<Assignment> assignments;
  std::vector<std::uint64_t> counts;
  bool crowd = false;  // more ranks than slots
};

// Deals the ranks of one app, or of all apps that share the hosts.
class Mapper {
 public:
  Mapper(const JobSpec& spec, const Inventory& inventory, std::vector<Capacity> capacities)
      : spec_(spec), inventory_(inventory), capacities_(std::move(capacities)) {}

  base::Result<Dealt> map() {
    const auto has_own = [](const model::App& app) { return !app.hosts.empty(); };
    return std::ranges::any_of(spec_.apps, has_own) ? one_by_one() : together();
  }

 private:
  // Apps follow one another on the same hosts: the first rank of one after the last of the other.
  base::Result<Dealt> together() {
    Dealt dealt;
    for (const model::App& app : spec_.apps) {
      dealt.counts.push_back(wanted(spec_, app, inventory_, capacities_));
    }
    const auto ranks = std::accumulate(dealt.counts.begin(), dealt.counts.end(), std::uint64_t{0});
    auto assignments = deal(capacities_, ranks, dealt.crowd);
    if (!assignments) return tl::unexpected(assignments.error());
    dealt.assignments = std::move(*assignments);
    return dealt;
  }

  base::Result<Dealt> one_by_one() {
    Dealt dealt;
    for (const model::App& app : spec_.apps) {
      const auto capacities = capacities_of(app);
      if (!capacities) return tl::unexpected(capacities.error());
      dealt.counts.push_back(wanted(spec_, app, inventory_, *capacities));
      const auto assignments = deal(*capacities, dealt.counts.back(), dealt.crowd);
      if (!assignments) return tl::unexpected(assignments.error());
      for (const Assignment& assignment : *assignments) use(capacities_[assignment.host]);
      dealt.assignments.insert(dealt.assignments.end(), assignments->begin(), assignments->end());
    }
    return dealt;
  }

  static void use(Capacity& capacity) {
    if (capacity.slots > 0) --capacity.slots;
    if (capacity.cap > 0) --capacity.cap;
  }

  // Hosts that the app does not name have no room for it.
  [[nodiscard]] base::Result<std::vector<Capacity>> capacities_of(const model::App& app) const {
    if (app.hosts.empty()) return capacities_;
    const HostNames names(inventory_);
    std::vector<Capacity> capacities(capacities_.size());
    for (const std::string& name : app.hosts) {
      const auto host = names.find(name);
      if (!host) {
        return base::fail(base::Fault::usage, {}, "{} is not one of the job's hosts", name);
      }
      capacities[*host] = capacities_[*host];
    }
    return capacities;
  }

  base::Result<std::vector<Assignment>> deal(const std::vector<Capacity>& capacities,
                                             std::uint64_t ranks, bool& crowd) const {
    if (ranks == 0 || ranks > model::kRanksMax) return bad_count(ranks);
    if (spec_.mapping.map_by == MapBy::rankfile) return by_rankfile(spec_, inventory_, ranks);
    if (spec_.mapping.map_by == MapBy::seq) return by_entry(spec_, inventory_, capacities, ranks);
    const Total total = total_of(capacities);
    if (ranks > total.cap) return above_cap(spec_, inventory_, ranks, total);
    const bool full = ranks > total.slots;
    if (full && !may_share_cores(spec_, inventory_)) {
      return above_slots(spec_, inventory_, ranks, total);
    }
    crowd = crowd || full;
    return assignments(capacities, ranks, full);
  }

  [[nodiscard]] base::Result<std::vector<Assignment>> assignments(
      const std::vector<Capacity>& capacities, std::uint64_t ranks, bool full) const {
    if (spec_.slot_rule == SlotRule::hydra) return by_pattern(capacities, ranks);
    const Mapping& mapping = spec_.mapping;
    if (mapping.map_by == MapBy::object) {
      return mapping.span ? by_object_span(capacities, ranks) : by_object(capacities, ranks);
    }
    if (mapping.map_by == MapBy::ppr) return each_within_slots(capacities, ranks);
    if (mapping.map_by == MapBy::distance && mapping.span) {
      auto dealt = by_node(capacities, ranks);
      std::ranges::stable_sort(dealt, {}, &Assignment::host);
      return dealt;
    }
    if (mapping.map_by != MapBy::node) return by_slot(capacities, ranks);
    const bool evenly = full && spec_.slot_rule == SlotRule::open_mpi;
    return evenly ? by_node_crowded(capacities, ranks) : by_node(capacities, ranks);
  }

  // So many for each object may be more than one host has slots, while others have some left.
  [[nodiscard]] base::Result<std::vector<Assignment>> each_within_slots(
      const std::vector<Capacity>& capacities, std::uint64_t ranks) const {
    auto dealt = per_object(capacities, ranks, spec_.mapping.per_object);
    if (may_share_cores(spec_, inventory_)) return dealt;
    std::vector<std::uint32_t> counts(capacities.size());
    for (const Assignment& assignment : dealt) {
      if (++counts[assignment.host] > capacities[assignment.host].slots) {
        return too_few_on(spec_, inventory_.hosts[assignment.host]);
      }
    }
    return dealt;
  }

  const JobSpec& spec_;
  const Inventory& inventory_;
  std::vector<Capacity> capacities_;
};

// What was left open: cpus for each rank are bound to, and so is a cpu set.
JobSpec decided(JobSpec spec) {
  Mapping& mapping = spec.mapping;
  if (mapping.bind_given) return spec;
  if (mapping.map_by == MapBy::pe_list) mapping.bind_to = BindTo::cpu_list;
  if (mapping.bind_to != BindTo::none) return spec;
  if (mapping.cpus_per_rank > 1) {
    mapping.bind_to = BindTo::object;
    mapping.bind_level = mapping.hwthread_cpus ? model::Level::hwthread : model::Level::core;
    mapping.bind_given = true;
  } else if (mapping.cpu_set && !mapping.bind_by_default) {
    mapping.bind_to = BindTo::object;
    mapping.bind_level = model::Level::machine;
    mapping.bind_overload = true;
  }
  return spec;
}

base::Result<void> check_binding(const Mapping& mapping) {
  if (mapping.cpus_per_rank == 0) {
    return base::fail(base::Fault::usage, {}, "PE must be from 1 to {}, not 0", model::kCpusMax);
  }
  if (mapping.map_by == MapBy::distance && mapping.device.empty()) {
    return base::fail(base::Fault::usage, "for example --map-by dist:mlx5_0, or dist:auto",
                      "mapping by distance needs the name of a device");
  }
  const bool by_cpu =
      mapping.bind_level == model::Level::core || mapping.bind_level == model::Level::hwthread;
  const bool by_gpu = mapping.bind_to == BindTo::gpu;
  if (mapping.cpus_per_rank > 1 && ((mapping.bind_to == BindTo::object && !by_cpu) || by_gpu)) {
    return base::fail(base::Fault::usage, "with PE=n, bind to core, hwthread or none",
                      "PE={} binds each rank to cpus of its own, but --bind-to {} was requested",
                      mapping.cpus_per_rank, by_gpu ? "gpu" : model::name_of(mapping.bind_level));
  }
  return {};
}

// Binds, and puts each app's assignments in the order of their ranks.
base::Result<void> finish(const JobSpec& spec, const Inventory& inventory,
                          HardwareOfHosts& hardware, Dealt& dealt, SetTable& sets) {
  const Mapping& mapping = spec.mapping;
  const bool early = mapping.bind_to == BindTo::object && spec.slot_rule != SlotRule::hydra;
  if (early) {
    auto bound = bind_to_objects(mapping, inventory, hardware, dealt.assignments, sets);
    if (!bound) return bound;
  }
  if (mapping.rank_given) {
    auto first = dealt.assignments.begin();
    for (const std::uint64_t count : dealt.counts) {
      const auto last = first + static_cast<std::ptrdiff_t>(count);
      auto ordered = in_rank_order(mapping, inventory, hardware, {first, last});
      if (!ordered) return tl::unexpected(ordered.error());
      first = std::copy(ordered->begin(), ordered->end(), first);
    }
  }
  const bool by_file = mapping.map_by == MapBy::rankfile && !mapping.bind_given;
  if (early || (mapping.bind_to == BindTo::none && !by_file)) return {};
  if (mapping.bind_to == BindTo::gpu) {
    return bind_to_gpus(spec, inventory, hardware, dealt.assignments, sets);
  }
  return bind_by_local_rank(spec, inventory, hardware, dealt.assignments, sets);
}

std::string policy(const JobSpec& spec) {
  const Mapping& mapping = spec.mapping;
  switch (mapping.map_by) {
    case MapBy::slot:
      return "by slot";
    case MapBy::node:
      return "by node";
    case MapBy::seq:
      return "by host entry";
    case MapBy::object:
      return fmt::format("by {}{}", model::name_of(mapping.level), mapping.span ? ", span" : "");
    case MapBy::ppr:
      return fmt::format(
          "{} for each {}", mapping.per_object,
          mapping.level == model::Level::machine ? "node" : model::name_of(mapping.level));
    case MapBy::rankfile:
      return "by rankfile";
    case MapBy::distance:
      return fmt::format("by distance to {}{}", mapping.device, mapping.span ? ", span" : "");
    case MapBy::pe_list:
      return "by cpu list";
  }
  return {};
}

// Node indexes for the hosts that run ranks, in the order in which hosts are served.
std::vector<NodeIndex> keep_used(Plan& plan, const Inventory& inventory,
                                 const std::vector<Assignment>& assignments) {
  std::vector<std::uint32_t> counts(inventory.hosts.size());
  for (const Assignment& assignment : assignments) ++counts[assignment.host];
  std::vector<NodeIndex> node_of_host(inventory.hosts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) {
      plan.spare.push_back(inventory.hosts[i]);
      continue;
    }
    node_of_host[i] = NodeIndex(plan.nodes.size());
    plan.nodes.push_back({inventory.hosts[i], {}});
    plan.nodes.back().ranks.reserve(counts[i]);
  }
  return node_of_host;
}

void number_apps(Plan& plan, const std::vector<std::uint64_t>& counts) {
  auto rank = plan.ranks.begin();
  for (std::uint32_t app = 0; app < counts.size(); ++app) {
    for (std::uint64_t i = 0; i < counts[app]; ++i) (rank++)->app = app;
  }
}

Plan assemble(const JobSpec& spec, const Inventory& inventory, const Dealt& dealt) {
  Plan plan;
  plan.policy = policy(spec);
  plan.universe = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(slots_of(inventory), std::numeric_limits<std::uint32_t>::max()));
  const auto node_of_host = keep_used(plan, inventory, dealt.assignments);
  plan.ranks.reserve(dealt.assignments.size());
  for (const Assignment& assignment : dealt.assignments) {
    const NodeIndex node = node_of_host[assignment.host];
    auto& ranks = plan.nodes[node.value].ranks;
    plan.ranks.push_back({node, static_cast<std::uint32_t>(ranks.size()), 0, assignment.set});
    ranks.emplace_back(plan.ranks.size() - 1);
  }
  number_apps(plan, dealt.counts);
  return plan;
}

// The mapping without its long lists: these are carried out, and are never exchanged.
void leave_to_others(const JobSpec& spec, Plan& plan) {
  plan.mapping = spec.mapping;
  plan.mapping.cpu_list.clear();
  plan.mapping.user_sets.clear();
  plan.mapping.rankfile.clear();
  plan.binds_in_turn = spec.slot_rule == SlotRule::hydra;
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const auto& topology = plan.nodes[i].host.topology;
    if (!topology || topology->claimed.empty()) continue;
    std::string told = yield_claimed(plan, NodeIndex(i), topology->claimed);
    if (!told.empty()) plan.notices.push_back(std::move(told));
  }
}

base::Result<Plan> place_on(const JobSpec& spec, const Inventory& inventory) {
  HardwareOfHosts hardware;
  const auto capacity = capacities(spec, inventory, hardware);
  if (!capacity) return tl::unexpected(capacity.error());
  auto dealt = Mapper(spec, inventory, *capacity).map();
  if (!dealt) return tl::unexpected(dealt.error());
  if (spec.mapping.bind_by_default) {
    const auto first = hardware.find(inventory.hosts.front(), spec.mapping);
    if (!first) return tl::unexpected(first.error());
    JobSpec chosen = spec;
    chosen.mapping.bind_by_default = false;
    chosen.mapping =
        default_binding(chosen.mapping, dealt->assignments.size(), dealt->crowd, **first);
    return place_on(decided(std::move(chosen)), inventory);
  }
  if (spec.mapping.map_by == MapBy::distance) {
    const auto filled = fill_by_distance(spec.mapping, inventory, hardware, dealt->assignments);
    if (!filled) return tl::unexpected(filled.error());
  }
  SetTable sets;
  const auto finished = finish(spec, inventory, hardware, *dealt, sets);
  if (!finished) return tl::unexpected(finished.error());
  Plan plan = assemble(spec, inventory, *dealt);
  plan.sets = sets.take();
  if (!plan.sets.empty()) leave_to_others(spec, plan);
  const bool is_said = spec.oversubscribe || spec.slot_rule != SlotRule::muster;
  if (dealt->crowd && !is_said)
    plan.notices.push_back(crowded(dealt->assignments.size(), inventory));
  for (std::string& line : overridden(spec, plan)) plan.notices.push_back(std::move(line));
  auto foreseen = foreseen_memory(spec.mapping.memory, plan);
  if (!foreseen) return tl::unexpected(std::move(foreseen.error()));
  if (!foreseen->empty()) plan.notices.push_back(std::move(*foreseen));
  return plan;
}

base::Result<Plan> place_decided(const JobSpec& spec, const Inventory& inventory) {
  const auto valid = check_binding(spec.mapping);
  if (!valid) return tl::unexpected(valid.error());
  if (is_served_as_is(spec, inventory)) return place_on(spec, inventory);
  const auto hosts = served(spec, inventory);
  if (!hosts) return tl::unexpected(hosts.error());
  return place_on(spec, *hosts);
}

// Where the slots are enough for all ranks but the light ones, all are dealt out by node, and light
// ones share slots.
bool shares_slots(const JobSpec& spec, const Inventory& inventory) {
  if (spec.roles == model::Roles::none || spec.mapping.map_given) return false;
  if (spec.mapping.no_oversubscribe || spec.slot_rule != SlotRule::muster) return false;
  std::uint64_t all = 0;
  std::uint64_t light = 0;
  for (const model::App& app : spec.apps) {
    all += app.ranks.value_or(1);
    if (is_light(app.role)) light += app.ranks.value_or(1);
  }
  const std::uint64_t slots = slots_of(inventory);
  return light > 0 && light < all && all > slots && all - light <= slots;
}

JobSpec dealt_by_node(JobSpec spec) {
  spec.mapping.map_by = MapBy::node;
  spec.mapping.map_given = true;
  spec.oversubscribe = true;
  return spec;
}

}  // namespace

base::Result<Plan> place(const JobSpec& spec, const Inventory& inventory) {
  if (shares_slots(spec, inventory)) return place(dealt_by_node(spec), inventory);
  const Mapping& mapping = spec.mapping;
  if (mapping.near_gpu && mapping.bind_to != BindTo::gpu && gpus_are_placed(inventory)) {
    JobSpec near = spec;
    near.mapping.bind_to = BindTo::gpu;
    return place(near, inventory);
  }
  const bool is_plain = mapping.bind_to == BindTo::none && mapping.cpus_per_rank == 1 &&
                        !mapping.cpu_set && mapping.map_by != MapBy::pe_list;
  return is_plain ? place_decided(spec, inventory) : place_decided(decided(spec), inventory);
}

}  // namespace muster::plan
