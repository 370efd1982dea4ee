// Hosts from host lists, fake nodes and this machine alone.
#include <gtest/gtest.h>
#include <limits>

#include "model/carriers.hpp"
#include "plan/plan.hpp"

namespace muster::plan {
namespace {

using base::Fault;

const ThisMachine kHere{{4}, "laptop", {"localhost", "laptop", "10.0.0.1"}};

model::JobSpec with_hosts(std::vector<model::HostEntry> hosts) {
  model::JobSpec spec;
  spec.apps.front().command = {"app"};
  spec.source = model::kHostsListed;
  spec.source_name = "-H";
  spec.hosts = std::move(hosts);
  return spec;
}

model::HostEntry entry(std::string name, std::optional<std::uint32_t> slots = {}) {
  return {std::move(name), {}, 0, slots, {}, {"-H", 0, 0}};
}

TEST(Inventory, without_hosts_is_this_machine_with_its_cpus) {
  const auto result = inventory({}, kHere);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->hosts.size(), 1U);
  const model::Host& host = result->hosts[0];
  EXPECT_EQ(host.name, "laptop");
  EXPECT_EQ(host.carrier, model::kLocal);
  EXPECT_EQ(host.slots, 4U);
  EXPECT_EQ(host.cpus, model::Cpus{4});
  EXPECT_EQ(result->source, model::kHostsHere);
}

TEST(Inventory, machine_without_name_or_cpus_is_still_a_host) {
  const auto result = inventory({}, {{0}, "", {}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->hosts[0].name, "localhost");
  EXPECT_EQ(result->hosts[0].slots, 1U);
}

TEST(Inventory, fake_nodes_share_ranks_and_cpus) {
  model::JobSpec spec;
  spec.fake_nodes = 3;
  spec.apps.front().ranks = 7;
  const auto result = inventory(spec, kHere);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->hosts.size(), 3U);
  EXPECT_EQ(result->hosts[2].name, "fake-2");
  for (const model::Host& host : result->hosts) {
    EXPECT_EQ(host.carrier, model::kFakeNode);
    EXPECT_EQ(host.slots, 3U);
    EXPECT_EQ(host.cpus, (model::Cpus{1, true}));
  }
}

TEST(Inventory, fake_hosts_are_fake_nodes_with_names_and_slots_of_their_own) {
  model::JobSpec spec = with_hosts({entry("fake-0", 3), entry("fake-1", 2)});
  spec.fake_hosts = true;
  const auto result = inventory(spec, kHere);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->hosts.size(), 2U);
  EXPECT_EQ(result->hosts[0].carrier, model::kFakeNode);
  EXPECT_EQ(result->hosts[0].slots, 3U);
  EXPECT_EQ(result->hosts[1].name, "fake-1");
  EXPECT_EQ(result->hosts[1].cpus, (model::Cpus{2, true}));
}

TEST(Inventory, names_may_be_hosts_whatever_they_mean) {
  model::JobSpec spec = with_hosts({entry("laptop", 1), entry("node1", 2), entry("localhost", 2),
                                    entry("laptop", 1), entry("node2", 1)});
  spec.names_are_hosts = true;
  ThisMachine here = kHere;
  model::Host first;
  first.name = "node1";
  model::Host other;
  other.name = "node2";
  here.same_hosts = {{other, first}};
  const auto result = inventory(spec, here);
  ASSERT_TRUE(result);
  std::string told;
  for (const model::Host& host : result->hosts) {
    told += fmt::format("{} {} {}, ", host.name, host.slots, host.carrier.word);
  }
  EXPECT_EQ(told, "laptop 2 process, node1 2 ssh, localhost 2 process, node2 1 ssh, ");
  EXPECT_EQ(result->hosts[0].cpus, (model::Cpus{2, true}));
}

TEST(Inventory, a_single_name_of_this_machine_is_this_machine) {
  model::JobSpec spec = with_hosts({entry("laptop", 1), entry("node1", 2), entry("laptop", 1)});
  spec.names_are_hosts = true;
  const auto result = inventory(spec, kHere);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->hosts.size(), 2U);
  EXPECT_EQ(result->hosts[0].carrier, model::kLocal);
}

TEST(Inventory, fake_nodes_take_per_node_or_their_cpus_as_slots) {
  model::JobSpec spec;
  spec.fake_nodes = 2;
  EXPECT_EQ(inventory(spec, kHere)->hosts[0].slots, 2U);
  spec.per_node = 5;
  EXPECT_EQ(inventory(spec, kHere)->hosts[0].slots, 5U);
}

TEST(Inventory, entries_of_one_host_add_up_in_the_order_first_written) {
  const auto result =
      inventory(with_hosts({entry("b", 1), entry("a", 2), entry("b", 3), entry("c")}), kHere);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->hosts.size(), 3U);
  EXPECT_EQ(result->hosts[0].name, "b");
  EXPECT_EQ(result->hosts[0].slots, 4U);
  EXPECT_EQ(result->hosts[1].slots, 2U);
  EXPECT_EQ(result->hosts[2].slots, 1U);
  EXPECT_EQ(result->hosts[0].carrier, model::kOpened);
  EXPECT_FALSE(result->hosts[0].cpus);
  EXPECT_EQ(result->source_name, "-H");
}

TEST(Inventory, another_user_or_port_is_another_host) {
  model::HostEntry user = entry("a");
  user.user = "other";
  model::HostEntry port = entry("a");
  port.port = 2222;
  const auto result = inventory(with_hosts({entry("a"), user, port, user}), kHere);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->hosts.size(), 3U);
  EXPECT_EQ(result->hosts[1].user, "other");
  EXPECT_EQ(result->hosts[1].slots, 2U);
  EXPECT_EQ(result->hosts[2].port, 2222U);
}

TEST(Inventory, all_names_of_this_machine_are_one_host) {
  const auto result = inventory(
      with_hosts({entry("far"), entry("10.0.0.1", 2), entry("localhost"), entry("laptop", 3)}),
      kHere);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->hosts.size(), 2U);
  EXPECT_EQ(result->hosts[1].name, "10.0.0.1");
  EXPECT_EQ(result->hosts[1].carrier, model::kLocal);
  EXPECT_EQ(result->hosts[1].slots, 6U);
  EXPECT_EQ(result->hosts[1].cpus, model::Cpus{4});
}

TEST(Inventory, this_machine_with_a_port_is_reached_by_ssh) {
  model::HostEntry container = entry("localhost", 2);
  container.port = 2222;
  const auto result = inventory(with_hosts({entry("localhost"), container}), kHere);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->hosts.size(), 2U);
  EXPECT_EQ(result->hosts[0].carrier, model::kLocal);
  EXPECT_EQ(result->hosts[1].carrier, model::kOpened);
}

TEST(Inventory, bare_entry_has_per_node_slots) {
  model::JobSpec spec = with_hosts({entry("a"), entry("b", 2)});
  spec.per_node = 8;
  const auto result = inventory(spec, kHere);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->hosts[0].slots, 8U);
  EXPECT_EQ(result->hosts[1].slots, 2U);
}

TEST(Inventory, the_largest_max_slots_counts) {
  model::JobSpec spec = with_hosts({entry("a", 1), entry("a", 1), entry("a", 1)});
  spec.hosts[1].max_slots = 5;
  spec.hosts[2].max_slots = 4;
  EXPECT_EQ(inventory(spec, kHere)->hosts[0].max_slots, 5U);
}

TEST(Inventory, max_slots_below_slots_names_the_line) {
  model::JobSpec spec = with_hosts({entry("a", 4)});
  spec.source = model::kHostsInFile;
  spec.source_name = "hosts";
  spec.hosts[0].max_slots = 2;
  spec.hosts[0].place = {"hosts", 3, 1};
  const auto result = inventory(spec, kHere);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::bad_file);
  EXPECT_EQ(base::to_string(result.error()),
            "hosts:3:1: max_slots of a is 2, below its 4 slots\n"
            "  hint: give a max_slots=4 or more, or fewer slots");
}

TEST(Inventory, slots_stop_at_the_largest_number) {
  const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  const auto result = inventory(with_hosts({entry("a", most), entry("a", 7)}), kHere);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->hosts[0].slots, most);
}

TEST(Inventory, zeros_are_refused) {
  const base::Error none = inventory(with_hosts({entry("a", 0)}), kHere).error();
  EXPECT_EQ(none.fault, Fault::usage);
  EXPECT_EQ(none.what, "slots of a must be from 1 to 1000000, not 0");
  model::JobSpec spec;
  spec.per_node = 0;
  EXPECT_EQ(inventory(spec, kHere).error().fault, Fault::usage);
}

model::Host written(std::string name, const model::Carrier& carrier = model::kOpened) {
  model::Host host;
  host.name = std::move(name);
  host.carrier = carrier;
  return host;
}

TEST(Inventory, hosts_that_agents_called_one_are_one_under_the_first_name) {
  ThisMachine here = kHere;
  here.same_hosts = {{written("b"), written("a")}, {written("c"), written("b")}};
  const auto result =
      inventory(with_hosts({entry("a", 1), entry("x"), entry("c", 2), entry("b", 4)}), here);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->hosts.size(), 2U);
  EXPECT_EQ(result->hosts[0].name, "a");
  EXPECT_EQ(result->hosts[0].slots, 7U);
  EXPECT_EQ(result->hosts[0].aliases, (std::vector<std::string>{"c", "b"}));
}

TEST(Inventory, a_host_that_is_this_machine_after_all_needs_no_link) {
  ThisMachine here = kHere;
  here.same_hosts = {{written("detour"), written("laptop", model::kLocal)}};
  const auto result = inventory(with_hosts({entry("detour"), entry("laptop")}), here);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->hosts.size(), 1U);
  EXPECT_EQ(result->hosts[0].carrier, model::kLocal);
  EXPECT_EQ(result->hosts[0].name, "detour");
}

model::Plan plan_of(const std::vector<model::Host>& hosts) {
  model::Plan plan;
  for (const model::Host& host : hosts) plan.nodes.push_back({host, {}});
  return plan;
}

std::optional<model::HostFacts> told(std::string identity) {
  model::HostFacts facts;
  facts.identity = std::move(identity);
  facts.reached_at = "10.0.0.1";
  return facts;
}

TEST(SameHosts, are_those_of_equal_identity) {
  const auto plan = plan_of({written("a"), written("b"), written("c"), written("d")});
  const std::vector<std::optional<model::HostFacts>> facts = {told("1"), told("2"), told("1"),
                                                              told("1")};
  const auto same = same_hosts(plan, facts);
  ASSERT_EQ(same.size(), 2U);
  EXPECT_EQ(same[0].other.name + same[0].first.name, "ca");
  EXPECT_EQ(same[1].other.name + same[1].first.name, "da");
}

TEST(SameHosts, keeps_this_machine_whichever_was_written_first) {
  const auto plan = plan_of({written("a"), written("me", model::kLocal)});
  const std::vector<std::optional<model::HostFacts>> facts = {told("1"), told("1")};
  const auto same = same_hosts(plan, facts);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].other.name, "a");
}

TEST(SameHosts, keeps_apart_what_a_carrier_on_this_machine_keeps_apart) {
  const auto plan = plan_of({written("x"), written("y"), written("me", model::kLocal)});
  std::vector<std::optional<model::HostFacts>> facts(3, told("1"));
  for (auto& one : facts) one->reached_at.clear();
  EXPECT_TRUE(same_hosts(plan, facts).empty());
}

TEST(SameHosts, leaves_alone_who_told_nothing_and_who_shares_a_machine_on_purpose) {
  const auto plan = plan_of({written("a"), written("b"), written("f", model::kFakeNode),
                             written("g", model::kFakeNode), written("m", model::kJoined)});
  const std::vector<std::optional<model::HostFacts>> facts = {told(""), told(""), told("1"),
                                                              told("1"), told("1")};
  EXPECT_TRUE(same_hosts(plan, facts).empty());
  EXPECT_TRUE(same_hosts(plan, std::vector<std::optional<model::HostFacts>>(5)).empty());
}

}  // namespace
}  // namespace muster::plan
