// What must hold for every map and binding, on random machines: nothing is lost, nobody leaves what
// is allowed, nobody shares a cpu unless that cannot be helped; and the dealing against naive
// twins.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "model/topology_text.hpp"
#include "plan/dealing.hpp"
#include "plan/hardware.hpp"
#include "plan/plan.hpp"

namespace muster::plan {
namespace {

using model::BindTo;
using model::CpuSet;
using model::Level;
using model::MapBy;
using model::RankBy;
using model::Topology;

std::uint32_t number(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::inRange<std::uint32_t>(low, high + 1);
}

// Cuts the objects of one level into those of the next; now and then a NUMA node has no cpus.
Topology some_machine() {
  const std::uint32_t packages = number(1, 3);
  const std::uint32_t caches = number(1, 3);
  const std::uint32_t cores = number(1, 4);
  const std::uint32_t threads = number(1, 2);
  Topology topology;
  std::uint32_t cpu = 0;
  for (std::uint32_t p = 0; p < packages; ++p) {
    const std::uint32_t package = cpu;
    for (std::uint32_t c = 0; c < caches; ++c) {
      const std::uint32_t cache = cpu;
      for (std::uint32_t k = 0; k < cores; ++k) {
        topology.at(Level::core).push_back(CpuSet::range(cpu, cpu + threads - 1));
        for (std::uint32_t t = 0; t < threads; ++t) {
          topology.at(Level::hwthread).push_back(CpuSet::of(cpu++));
        }
      }
      topology.at(Level::l3cache).push_back(CpuSet::range(cache, cpu - 1));
    }
    topology.at(Level::package).push_back(CpuSet::range(package, cpu - 1));
    topology.at(Level::numa).push_back(CpuSet::range(package, cpu - 1));
    if (number(0, 4) == 0) topology.at(Level::numa).emplace_back();
  }
  topology.numa_bytes.resize(topology.at(Level::numa).size(), 1);
  topology.at(Level::machine).push_back(CpuSet::range(0, cpu - 1));
  topology.allowed = topology.at(Level::machine).front();
  if (number(0, 1) == 0) {
    for (std::uint32_t i = 0; i + 1 < cpu; ++i) {
      if (number(0, 3) == 0) topology.allowed.remove(i);
    }
  }
  return topology;
}

Level some_level() {
  return *rc::gen::element(Level::hwthread, Level::core, Level::l3cache, Level::numa,
                           Level::package);
}

struct World {
  model::JobSpec spec;
  model::Inventory inventory;
};

World some_world() {
  World world;
  world.inventory.source = world.spec.source = model::kHostsListed;
  const std::uint32_t kinds = number(1, 2);
  std::vector<model::SharedTopology> machines;
  for (std::uint32_t i = 0; i < kinds; ++i) {
    machines.push_back({std::make_shared<const Topology>(some_machine())});
  }
  const std::uint32_t hosts = number(1, 5);
  for (std::uint32_t i = 0; i < hosts; ++i) {
    model::Host host;
    host.name = fmt::format("n{}", i);
    host.slots = number(1, 20);
    host.topology = machines[i % kinds];
    world.inventory.hosts.push_back(host);
  }
  world.spec.apps.front().ranks = number(1, 60);
  world.spec.oversubscribe = true;
  return world;
}

void ask_for_anything(model::Mapping& mapping) {
  mapping.map_by = *rc::gen::element(MapBy::slot, MapBy::node, MapBy::object);
  mapping.level = some_level();
  mapping.span = number(0, 1) == 0;
  mapping.rank_given = number(0, 1) == 0;
  mapping.rank_by =
      *rc::gen::element(RankBy::slot, RankBy::node, RankBy::object, RankBy::fill, RankBy::span);
  mapping.rank_level = some_level();
  mapping.bind_to = BindTo::object;
  mapping.bind_given = true;
  mapping.bind_overload = true;
  mapping.bind_level = some_level();
}

// Every rank once, on one node, with local ranks 0, 1, ... in ascending order.
bool is_consistent(const model::Plan& plan, std::size_t ranks) {
  std::size_t seen = 0;
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    const auto& own = plan.nodes[node].ranks;
    if (own.empty() || !std::ranges::is_sorted(own)) return false;
    for (std::size_t i = 0; i < own.size(); ++i, ++seen) {
      const model::PlannedRank& rank = plan.ranks[own[i].value];
      if (rank.node.value != node || rank.local_rank != i) return false;
    }
  }
  return seen == ranks && plan.ranks.size() == ranks;
}

RC_GTEST_PROP(PlanBinding, loses_no_rank_and_leaves_no_allowed_cpu, ()) {
  World world = some_world();
  ask_for_anything(world.spec.mapping);
  const auto plan = place(world.spec, world.inventory);
  RC_ASSERT(plan.has_value());
  RC_ASSERT(is_consistent(*plan, *world.spec.apps.front().ranks));
  for (const model::PlannedRank& rank : plan->ranks) {
    RC_ASSERT(rank.binding < plan->sets.size());
    const CpuSet& set = plan->sets[rank.binding];
    RC_ASSERT(!set.empty());
    RC_ASSERT(set.within(plan->nodes[rank.node.value].host.topology->allowed));
  }
}

RC_GTEST_PROP(PlanBinding, shares_no_core_while_one_is_free, ()) {
  World world = some_world();
  ask_for_anything(world.spec.mapping);
  world.spec.mapping.map_by = *rc::gen::element(MapBy::slot, MapBy::node);
  world.spec.mapping.bind_level = Level::core;
  const auto plan = place(world.spec, world.inventory);
  RC_ASSERT(plan.has_value());
  for (const model::PlannedNode& node : plan->nodes) {
    const auto cores = usable_hardware(*node.host.topology, world.spec.mapping, "n");
    std::map<std::string, std::size_t> ranks_on;
    for (const base::Rank rank : node.ranks) {
      ++ranks_on[to_string(plan->sets[plan->ranks[rank.value].binding])];
    }
    const std::size_t count = cores->at(Level::core).size();
    RC_ASSERT(ranks_on.size() == std::min(count, node.ranks.size()));
    const std::size_t even = (node.ranks.size() - 1) / count + 1;
    for (const auto& [set, ranks] : ranks_on) RC_ASSERT(ranks <= even);
  }
}

RC_GTEST_PROP(PlanBinding, uses_every_allowed_cpu_when_there_are_enough_ranks, ()) {
  World world = some_world();
  world.spec.mapping.map_by = MapBy::object;
  world.spec.mapping.level = world.spec.mapping.bind_level = Level::core;
  world.spec.mapping.bind_to = BindTo::object;
  world.inventory.hosts.resize(1);
  const model::Host& host = world.inventory.hosts.front();
  const auto hardware = usable_hardware(*host.topology, world.spec.mapping, "n");
  world.spec.apps.front().ranks = hardware->whole.cpus;
  const auto plan = place(world.spec, world.inventory);
  RC_ASSERT(plan.has_value());
  CpuSet used;
  for (const CpuSet& set : plan->sets) {
    RC_ASSERT(!used.meets(set));
    used |= set;
  }
  RC_ASSERT(used == host.topology->allowed);
}

RC_GTEST_PROP(PlanBinding, is_the_same_for_hosts_that_share_a_topology_and_for_equal_ones, ()) {
  World world = some_world();
  ask_for_anything(world.spec.mapping);
  World apart = world;
  for (model::Host& host : apart.inventory.hosts) {
    host.topology = {std::make_shared<const Topology>(*host.topology)};
  }
  RC_ASSERT(*place(world.spec, world.inventory) == *place(apart.spec, apart.inventory));
}

// ---- dealing, one rank at a time ----------------------------------------------------------------

std::vector<Capacity> some_rooms() {
  std::vector<Capacity> capacities(number(1, 6));
  for (Capacity& capacity : capacities) {
    capacity.slots = number(0, 5);
    capacity.cap = capacity.slots + number(0, 9);
    capacity.objects = number(1, 4);
  }
  capacities.front().cap += 1;
  return capacities;
}

std::uint32_t some_ranks(const std::vector<Capacity>& capacities) {
  std::uint32_t cap = 0;
  for (const Capacity& capacity : capacities) cap += capacity.cap;
  return number(1, cap);
}

RC_GTEST_PROP(PlanDealing, to_objects_takes_the_least_used_one_of_the_host_that_slots_choose, ()) {
  const std::vector<Capacity> capacities = some_rooms();
  const std::uint32_t ranks = some_ranks(capacities);
  const auto assignments = by_object(capacities, ranks);
  const auto hosts = by_slot(capacities, ranks);
  RC_ASSERT(assignments.size() == ranks);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> used;
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    RC_ASSERT(assignments[i].host == hosts[i].host);
    std::uint32_t least = 0;
    for (std::uint32_t k = 1; k < capacities[assignments[i].host].objects; ++k) {
      if (used[{assignments[i].host, k}] < used[{assignments[i].host, least}]) least = k;
    }
    RC_ASSERT(assignments[i].object == least);
    ++used[{assignments[i].host, least}];
  }
}

RC_GTEST_PROP(PlanDealing, over_all_objects_differs_by_one_at_most, ()) {
  std::vector<Capacity> capacities = some_rooms();
  for (Capacity& capacity : capacities) capacity.cap = 1000;
  const std::uint32_t ranks = number(1, 100);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> used;
  for (std::uint32_t i = 0; i < capacities.size(); ++i) {
    for (std::uint32_t k = 0; k < capacities[i].objects; ++k) used[{i, k}] = 0;
  }
  for (const Assignment& assignment : by_object_span(capacities, ranks))
    ++used[{assignment.host, assignment.object}];
  std::uint32_t sum = 0;
  for (const auto& [object, count] : used) {
    RC_ASSERT(count >= ranks / used.size());
    RC_ASSERT(count <= (ranks - 1) / used.size() + 1);
    sum += count;
  }
  RC_ASSERT(sum == ranks);
}

RC_GTEST_PROP(PlanDealing, never_exceeds_a_cap, ()) {
  const std::vector<Capacity> capacities = some_rooms();
  const std::uint32_t ranks = some_ranks(capacities);
  for (const auto deal : {by_slot, by_node, by_node_crowded, by_object, by_object_span}) {
    std::vector<std::uint32_t> counts(capacities.size());
    const auto assignments = deal(capacities, ranks);
    RC_ASSERT(assignments.size() == ranks);
    for (const Assignment& assignment : assignments)
      RC_ASSERT(++counts[assignment.host] <= capacities[assignment.host].cap);
  }
}

RC_GTEST_PROP(TopologyText, reads_what_it_wrote, ()) {
  const Topology topology = some_machine();
  RC_ASSERT(*model::decode_topology(encode(topology)) == topology);
}

}  // namespace
}  // namespace muster::plan
