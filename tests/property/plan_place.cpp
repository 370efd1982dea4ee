// place() and inventory() against deliberately naive twins: every small world, and random larger
// ones.
#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan/plan.hpp"

namespace muster::plan::plan_place_test {
namespace {

using model::MapBy;

struct World {
  model::JobSpec spec;
  model::Inventory inventory;
};

std::string describe(const World& world) {
  std::string text =
      fmt::format("{} {} ranks {} per node {}{} on",
                  world.inventory.source == model::kHostsHere ? "here" : "hosts",
                  world.spec.apps.front().ranks.value_or(0), world.spec.per_node.value_or(0),
                  world.spec.mapping.map_by == MapBy::slot ? "by slot" : "by node",
                  world.spec.oversubscribe ? " oversubscribed" : "");
  for (const model::Host& host : world.inventory.hosts) {
    text += fmt::format(" {}<={}", host.slots, host.max_slots.value_or(0));
  }
  return text;
}

// Decides for each rank alone, by looking at every host again. Quadratic, and so short that it can
// be checked by reading.
class Naive {
 public:
  explicit Naive(const World& world) : world_(world), counts_(world.inventory.hosts.size()) {}

  // The host of each rank; nothing when it is an error.
  std::optional<std::vector<std::size_t>> place() {
    std::vector<std::size_t> hosts;
    for (std::size_t i = 0, n = wanted(); i < n; ++i) {
      std::optional<std::size_t> host = pick(true);
      if (!host && shares()) host = pick(false);
      if (!host) return std::nullopt;
      ++counts_[*host];
      last_ = *host;
      hosts.push_back(*host);
    }
    if (world_.spec.mapping.map_by == MapBy::slot) std::sort(hosts.begin(), hosts.end());
    return hosts;
  }

 private:
  std::size_t wanted() const {
    const auto& [spec, inventory] = world_;
    if (spec.apps.front().ranks) return *spec.apps.front().ranks;
    if (spec.per_node) return *spec.per_node * inventory.hosts.size();
    if (inventory.source == model::kHostsHere) return spec.fake_nodes > 0 ? spec.fake_nodes : 1;
    std::size_t slots = 0;
    for (const model::Host& host : inventory.hosts) slots += host.slots;
    return slots;
  }

  bool shares() const {
    return world_.spec.oversubscribe || world_.inventory.source == model::kHostsHere;
  }

  bool has_room(std::size_t host, bool within_slots) const {
    const model::Host& one = world_.inventory.hosts[host];
    if (within_slots && counts_[host] >= one.slots) return false;
    if (one.max_slots && counts_[host] >= *one.max_slots) return false;
    return !world_.spec.per_node || counts_[host] < *world_.spec.per_node;
  }

  std::optional<std::size_t> pick(bool within_slots) const {
    if (world_.spec.mapping.map_by == MapBy::node) return next_in_turn(within_slots);
    return within_slots ? first_with_room() : least_crowded();
  }

  std::optional<std::size_t> first_with_room() const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (has_room(i, true)) return i;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> least_crowded() const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (has_room(i, false) && (!best || beyond(i) < beyond(*best))) best = i;
    }
    return best;
  }

  // Ranks above what the host takes by itself.
  std::int64_t beyond(std::size_t host) const {
    return static_cast<std::int64_t>(counts_[host]) - world_.inventory.hosts[host].slots;
  }

  std::optional<std::size_t> next_in_turn(bool within_slots) const {
    for (std::size_t step = 1; step <= counts_.size(); ++step) {
      const std::size_t host = last_ ? (*last_ + step) % counts_.size() : step - 1;
      if (has_room(host, within_slots)) return host;
    }
    return std::nullopt;
  }

  const World& world_;
  std::vector<std::size_t> counts_;
  std::optional<std::size_t> last_;
};

// Whether the number of ranks that a hint offers really fits.
bool hint_works(const World& world, const base::Error& error) {
  unsigned ranks = 0;
  World repaired = world;
  if (std::sscanf(error.hint.c_str(), "use -n %u", &ranks) != 1) return false;
  if (error.hint.ends_with("add --oversubscribe to share cores")) {
    repaired.spec.oversubscribe = true;
    if (!place(repaired.spec, repaired.inventory)) return false;
    repaired.spec.oversubscribe = false;
  }
  repaired.spec.apps.front().ranks = ranks;
  return place(repaired.spec, repaired.inventory).has_value();
}

// The plan tells one story: its nodes, ranks and local ranks agree.
bool is_consistent(const model::Plan& plan) {
  std::size_t seen = 0;
  for (std::uint32_t node = 0; node < plan.nodes.size(); ++node) {
    const auto& ranks = plan.nodes[node].ranks;
    if (ranks.empty() || !std::is_sorted(ranks.begin(), ranks.end())) return false;
    for (std::uint32_t local = 0; local < ranks.size(); ++local, ++seen) {
      const model::PlannedRank expected{base::NodeIndex(node), local};
      if (plan.ranks.at(ranks[local].value) != expected) return false;
    }
  }
  return seen == plan.ranks.size();
}

// Empty, or how place() and its twin differ.
std::string difference(const World& world) {
  const auto expected = Naive(world).place();
  const auto plan = place(world.spec, world.inventory);
  if (!plan) {
    if (expected) return "refused: " + base::to_string(plan.error());
    if (plan.error().fault != base::Fault::no_slots) return "wrong fault";
    return hint_works(world, plan.error()) ? "" : "hint does not work: " + plan.error().hint;
  }
  if (!expected) return "not refused";
  if (!is_consistent(*plan)) return "nodes and ranks disagree";
  if (plan->ranks.size() != expected->size()) return "wrong number of ranks";
  for (std::size_t i = 0; i < expected->size(); ++i) {
    const auto& host = plan->nodes[plan->ranks[i].node.value].host;
    if (host.name != world.inventory.hosts[(*expected)[i]].name) {
      return fmt::format("rank {} is on {}", i, host.name);
    }
  }
  return {};
}

World world_with(const std::vector<std::uint32_t>& slots) {
  World world;
  world.spec.apps.front().command = {"app"};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    model::Host host;
    host.name = fmt::format("n{}", i);
    host.slots = slots[i];
    world.inventory.hosts.push_back(host);
  }
  return world;
}

void set_source(World& world, bool here) {
  world.spec.source = world.inventory.source = here ? model::kHostsHere : model::kHostsListed;
  const bool fake = here && world.inventory.hosts.size() > 1;
  world.spec.fake_nodes = fake ? static_cast<std::uint32_t>(world.inventory.hosts.size()) : 0;
}

// 0: no host has a cap; 1, 2: every host has one of its slots or one more; 3, 4: as 1 and 2, but
// only every second host.
void set_caps(World& world, int pattern) {
  for (std::size_t i = 0; i < world.inventory.hosts.size(); ++i) {
    model::Host& host = world.inventory.hosts[i];
    host.max_slots.reset();
    if (pattern == 0 || (pattern > 2 && i % 2 == 1)) continue;
    host.max_slots = host.slots + (pattern % 2 == 0 ? 1 : 0);
  }
}

// Every combination of options in one world.
void compare_all_options(World world) {
  for (unsigned bits = 0; bits < 8; ++bits) {
    world.spec.mapping.map_by = (bits & 1U) != 0 ? MapBy::node : MapBy::slot;
    world.spec.oversubscribe = (bits & 2U) != 0;
    set_source(world, (bits & 4U) != 0);
    for (std::uint32_t n = 0; n <= 10; ++n) {
      world.spec.apps.front().ranks = n == 0 ? std::nullopt : std::optional(n);
      for (std::uint32_t k = 0; k <= 4; ++k) {
        world.spec.per_node = k == 0 ? std::nullopt : std::optional(k);
        ASSERT_EQ(difference(world), "") << describe(world);
      }
    }
  }
}

// The number-th world of so many hosts with 1 to 3 slots.
std::vector<std::uint32_t> slots_of_world(std::uint32_t hosts, std::uint32_t number) {
  std::vector<std::uint32_t> slots(hosts);
  for (std::uint32_t& one : slots) {
    one = 1 + number % 3;
    number /= 3;
  }
  return slots;
}

TEST(PlanPlace, agrees_with_its_twin_in_every_small_world) {
  for (std::uint32_t hosts = 1, worlds = 3; hosts <= 4; ++hosts, worlds *= 3) {
    for (std::uint32_t number = 0; number < worlds; ++number) {
      for (int caps = 0; caps <= 4; ++caps) {
        World world = world_with(slots_of_world(hosts, number));
        set_caps(world, caps);
        compare_all_options(world);
        if (HasFatalFailure()) return;
      }
    }
  }
}

RC_GTEST_PROP(PlanPlace, agrees_with_its_twin_in_larger_worlds, ()) {
  const auto number = [](std::uint32_t low, std::uint32_t high) {
    return *rc::gen::inRange<std::uint32_t>(low, high + 1);
  };
  std::vector<std::uint32_t> slots(number(1, 30));
  for (std::uint32_t& one : slots) one = number(1, 12);
  World world = world_with(slots);
  for (model::Host& host : world.inventory.hosts) {
    if (number(0, 3) == 0) host.max_slots = host.slots + number(0, 6);
  }
  set_source(world, number(0, 3) == 0);
  world.spec.mapping.map_by = number(0, 1) == 0 ? MapBy::slot : MapBy::node;
  world.spec.oversubscribe = number(0, 1) == 0;
  if (number(0, 2) > 0) world.spec.apps.front().ranks = number(1, 300);
  if (number(0, 2) == 0) world.spec.per_node = number(1, 15);
  RC_LOG() << describe(world);
  RC_ASSERT(difference(world) == "");
}

// What inventory() makes of a list, looked up entry by entry.
std::uint64_t slots_by_hand(const model::JobSpec& spec, const model::HostEntry& of) {
  std::uint64_t sum = 0;
  for (const model::HostEntry& entry : spec.hosts) {
    if (entry.name != of.name || entry.user != of.user || entry.port != of.port) continue;
    sum += entry.slots.value_or(spec.per_node.value_or(1));
  }
  return sum;
}

model::HostEntry some_entry() {
  model::HostEntry entry;
  entry.name = *rc::gen::element<std::string>("a", "b", "c", "d");
  entry.user = *rc::gen::element<std::string>("", "me");
  entry.port = *rc::gen::element<std::uint32_t>(0, 2222);
  if (*rc::gen::arbitrary<bool>()) entry.slots = *rc::gen::inRange<std::uint32_t>(1, 100);
  return entry;
}

RC_GTEST_PROP(PlanInventory, keeps_every_host_once_with_all_its_slots, ()) {
  model::JobSpec spec;
  spec.source = model::kHostsListed;
  if (*rc::gen::arbitrary<bool>()) spec.per_node = *rc::gen::inRange<std::uint32_t>(1, 9);
  const auto entries = *rc::gen::inRange(1, 20);
  for (int i = 0; i < entries; ++i) spec.hosts.push_back(some_entry());
  const auto result = inventory(spec, {{4}, "laptop", {"localhost"}});
  RC_ASSERT(result.has_value());
  std::size_t next = 0;  // the hosts' order is that of their first entries
  for (const model::HostEntry& entry : spec.hosts) {
    const auto same = [&](const model::Host& host) {
      return host.name == entry.name && host.user == entry.user && host.port == entry.port;
    };
    const auto found = std::find_if(result->hosts.begin(), result->hosts.end(), same);
    RC_ASSERT(found != result->hosts.end());
    RC_ASSERT(std::count_if(result->hosts.begin(), result->hosts.end(), same) == 1);
    RC_ASSERT(found->slots == slots_by_hand(spec, entry));
    const auto index = static_cast<std::size_t>(found - result->hosts.begin());
    RC_ASSERT(index <= next);
    if (index == next) ++next;
  }
  RC_ASSERT(next == result->hosts.size());
}

}  // namespace
}  // namespace muster::plan::plan_place_test
