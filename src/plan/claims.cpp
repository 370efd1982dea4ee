// Ranks of one host, bound to what other jobs leave.
#include "plan/claims.hpp"

#include <algorithm>
#include <set>

#include "plan/binding.hpp"

namespace muster::plan {
namespace {

using base::NodeIndex;
using model::BindTo;
using model::CpuSet;
using model::Level;
using model::Mapping;
using model::Plan;
using model::PlannedNode;

using ClaimedSets = std::vector<CpuSet>;

bool is_binding(const CpuSet& set, const model::Topology& topology) {
  return !set.empty() && !topology.allowed.within(set);
}

// A --cpu-set is bound to as a whole where no other binding was asked for.
bool lists_cpus(const Mapping& mapping) {
  const bool by_list = mapping.bind_to == BindTo::cpu_list || mapping.bind_to == BindTo::user;
  const bool whole_set =
      mapping.cpu_set && mapping.bind_to == BindTo::object && mapping.bind_level == Level::machine;
  return by_list || whole_set || mapping.bind_to == BindTo::none;  // none: a rankfile
}

// All cpus of the cores that have one of these.
CpuSet cores_with(const model::Topology& topology, const CpuSet& cpus) {
  CpuSet all = cpus;
  for (const CpuSet& core : topology.at(Level::core)) {
    if (core.meets(cpus)) all |= core;
  }
  return all;
}

// The object that a rank was dealt to, which its old binding meets, among those that are left.
std::uint32_t object_left(const Hardware& all, const Hardware& left, Level level,
                          const CpuSet& old) {
  const auto& objects = all.at(level);
  const auto own =
      std::ranges::find_if(objects, [&](const auto& one) { return one.set.meets(old); });
  const auto index = static_cast<std::size_t>(own - objects.begin());
  const std::size_t count = left.at(level).size();
  return count == 0 ? kNoObject : static_cast<std::uint32_t>(index % count);
}

// In turn, as Hydra does; nothing when a rank would share a set that it had for itself.
ClaimedSets dealt_in_turn(const ClaimedSets& sets, std::size_t before, std::size_t ranks) {
  if (sets.size() < std::min(before, ranks)) return {};
  ClaimedSets bound;
  for (std::size_t i = 0; i < ranks; ++i) bound.push_back(sets[i % sets.size()]);
  return bound;
}

std::vector<CpuSet> threads_of(const Hardware& hardware) {
  ClaimedSets sets;
  for (const auto& thread : hardware.at(Level::hwthread)) sets.push_back(thread.set);
  return sets;
}

// A set for each rank; none when the hardware that is left does not do.
ClaimedSets bind_to_left(const Plan& plan, const PlannedNode& node, const Hardware& all,
                         const Hardware& left) {
  const Mapping& mapping = plan.mapping;
  if (mapping.bind_to == BindTo::rr) {
    return dealt_in_turn(threads_of(left), threads_of(all).size(), node.ranks.size());
  }
  if (plan.binds_in_turn) {
    const auto before = hydra_sets(all, mapping, node.host.name);
    const auto sets = hydra_sets(left, mapping, node.host.name);
    if (!before || !sets) return {};
    return dealt_in_turn(*sets, before->size(), node.ranks.size());
  }
  const bool by_object = mapping.map_by == model::MapBy::object ||
                         mapping.map_by == model::MapBy::ppr ||
                         mapping.map_by == model::MapBy::distance;
  std::vector<std::uint32_t> objects;
  for (const base::Rank rank : node.ranks) {
    objects.push_back(by_object ? object_left(all, left, mapping.level, plan.cpus_of(rank))
                                : kNoObject);
  }
  return bind_on_host(mapping, left, node.host.name, objects).value_or(ClaimedSets());
}

void give(Plan& plan, const PlannedNode& node, const ClaimedSets& sets) {
  for (std::size_t i = 0; i < node.ranks.size(); ++i) {
    std::uint32_t& index = plan.ranks[node.ranks[i].value].binding;
    const auto known = sets.empty() ? plan.sets.end() : std::ranges::find(plan.sets, sets[i]);
    index = static_cast<std::uint32_t>(known - plan.sets.begin());
    if (sets.empty()) index = model::kUnbound;
    if (!sets.empty() && known == plan.sets.end()) plan.sets.push_back(sets[i]);
  }
}

// Cpus near a GPU are near others as well: whoever has one of these shares them.
bool is_exclusive(const Plan& plan, const PlannedNode& node) {
  return node.host.topology && !plan.sets.empty() && plan.mapping.bind_to != BindTo::gpu;
}

CpuSet bound_cpus(const Plan& plan, const PlannedNode& node) {
  CpuSet bound;
  for (const base::Rank rank : node.ranks) {
    const CpuSet set = plan.cpus_of(rank);
    if (is_binding(set, *node.host.topology)) bound |= set;
  }
  return bound;
}

std::string not_bound(const PlannedNode& node, const CpuSet& claimed, bool listed) {
  return fmt::format(
      "ranks on {} are not bound: other jobs of muster are bound to cpu{} {} there{}",
      node.host.name, claimed.count() == 1 ? "" : "s", model::to_string(claimed),
      listed ? ", which the cpu list names" : "");
}

}  // namespace

CpuSet claims_of(const Plan& plan, NodeIndex index) {
  const PlannedNode& node = plan.nodes[index.value];
  if (!is_exclusive(plan, node)) return {};
  CpuSet claims = bound_cpus(plan, node);
  if (!node.host.carrier.is_share) return claims;
  for (std::uint32_t i = 0; i < index.value && !claims.empty(); ++i) {
    const PlannedNode& earlier = plan.nodes[i];
    if (earlier.host.carrier.is_share) claims -= bound_cpus(plan, earlier);
  }
  return claims;
}

std::string yield_claimed(Plan& plan, NodeIndex index, const CpuSet& claimed) {
  const PlannedNode& node = plan.nodes[index.value];
  if (!is_exclusive(plan, node)) return {};
  const model::Topology& topology = *node.host.topology;
  const CpuSet bound = bound_cpus(plan, node);
  const bool listed = lists_cpus(plan.mapping);
  if (!bound.meets(listed ? claimed : cores_with(topology, claimed))) return {};
  const auto all = usable_hardware(topology, plan.mapping, node.host.name);
  for (const CpuSet& held : {cores_with(topology, claimed), claimed}) {
    if (listed || !all) break;
    const CpuSet rest = all->whole.set - held;
    if (rest.empty()) continue;
    const Hardware left = hardware_within(topology, rest, plan.mapping);
    if (left.at(plan.mapping.bind_level).empty()) continue;
    const ClaimedSets sets = bind_to_left(plan, node, *all, left);
    if (sets.empty()) continue;
    give(plan, node, sets);
    return {};
  }
  give(plan, node, {});
  return not_bound(node, listed ? claimed & bound : claimed, listed);
}

}  // namespace muster::plan
