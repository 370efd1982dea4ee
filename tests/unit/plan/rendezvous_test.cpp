// Addresses, interfaces and port, from what agents told.
#include <gtest/gtest.h>

#include "model/carriers.hpp"
#include "plan/environment.hpp"

namespace muster::plan {
namespace {

using model::HostFacts;
using AllFacts = std::vector<std::optional<HostFacts>>;

// Nodes named n0, n1 ... with one rank each.
model::Plan nodes(const std::vector<model::Carrier>& carriers) {
  model::Plan plan;
  for (std::uint32_t i = 0; i < carriers.size(); ++i) {
    model::Host host;
    host.name = "n" + std::to_string(i);
    host.carrier = carriers[i];
    plan.nodes.push_back({host, {base::Rank(i)}});
    plan.ranks.push_back({base::NodeIndex(i), 0});
  }
  return plan;
}

HostFacts facts(const std::string& address, const std::string& interface) {
  HostFacts result;
  result.hostname = "name-of-" + address;
  result.cpus.usable = 8;
  result.interfaces = {{"docker0", "172.17.0.1"}, {"mgmt0", "192.168.0.9"}, {interface, address}};
  result.reached_at = address;
  result.head_address = "10.0.0.100";
  result.port = 40001;
  return result;
}

TEST(Rendezvous, one_machine_uses_loopback) {
  auto plan = nodes({model::kFakeNode, model::kFakeNode});
  plan.nodes[0].host.cpus = model::Cpus{3};
  const auto where =
      rendezvous(plan, AllFacts{facts("10.0.0.1", "eth0"), facts("10.0.0.1", "eth0")});
  EXPECT_EQ(where.point.address, "127.0.0.1");
  EXPECT_EQ(where.point.port, "40001");
  EXPECT_EQ(where.interfaces, (std::vector<std::string>{"lo", "lo"}));
  EXPECT_EQ(where.point.addresses, (std::vector<std::string>{"127.0.0.1", "127.0.0.1"}));
  EXPECT_EQ(where.cpus, (std::vector<std::optional<model::Cpus>>{{{3}}, {{8}}}));
}

TEST(Rendezvous, remote_nodes_use_the_address_at_which_they_were_reached) {
  const auto where = rendezvous(nodes({model::kOpened, model::kOpened}),
                                AllFacts{facts("10.0.0.1", "eth0"), facts("10.0.0.2", "ens5")});
  EXPECT_EQ(where.point.address, "10.0.0.1");
  EXPECT_EQ(where.interfaces, (std::vector<std::string>{"eth0", "ens5"}));
  EXPECT_EQ(where.point.addresses, (std::vector<std::string>{"10.0.0.1", "10.0.0.2"}));
}

TEST(Rendezvous, head_is_where_the_first_remote_saw_it) {
  const auto where = rendezvous(nodes({model::kLocal, model::kOpened}),
                                AllFacts{facts("10.0.0.100", "ib0"), facts("10.0.0.2", "eth0")});
  EXPECT_EQ(where.point.address, "10.0.0.100");
  EXPECT_EQ(where.interfaces[0], "ib0");
  EXPECT_EQ(where.reasons, (std::vector<std::string>{"ssh came from there to the other hosts",
                                                     "ssh reached it there"}));
}

TEST(Rendezvous, nodes_that_have_come_were_not_reached_by_ssh) {
  const auto where = rendezvous(nodes({model::kLocal, model::kJoined}),
                                AllFacts{facts("10.0.0.100", "ib0"), facts("10.0.0.2", "eth0")});
  EXPECT_EQ(where.reasons, (std::vector<std::string>{"the other nodes connected to it there",
                                                     "it connected from there"}));
}

TEST(Rendezvous, whether_cpus_are_limited_is_the_plans_word_or_the_agents) {
  auto plan = nodes({model::kOpened, model::kOpened, model::kFakeNode});
  plan.nodes[2].host.cpus = {1, true};
  AllFacts known{facts("10.0.0.1", "eth0"), facts("10.0.0.2", "eth0"), {}};
  known[1]->cpus.limited = true;
  EXPECT_EQ(rendezvous(plan, known).cpus,
            (std::vector<std::optional<model::Cpus>>{{{8}}, {{8, true}}, {{1, true}}}));
}

TEST(Rendezvous, rdma_is_known_of_each_node) {
  AllFacts known{facts("10.0.0.1", "eth0"), facts("10.0.0.2", "eth0")};
  known[1]->rdma = true;
  EXPECT_EQ(rendezvous(nodes({model::kOpened, model::kOpened}), known).rdma,
            (std::vector<bool>{false, true}));
}

TEST(Rendezvous, unseen_head_uses_its_first_real_interface) {
  HostFacts remote = facts("10.0.0.2", "eth0");
  remote.head_address = "127.0.0.1";
  const auto where = rendezvous(nodes({model::kLocal, model::kOpened}),
                                AllFacts{facts("10.0.0.100", "ib0"), remote});
  EXPECT_EQ(where.point.address, "192.168.0.9");
  EXPECT_EQ(where.reasons[0], "the first that is not a bridge, container or tunnel");
  EXPECT_EQ(where.interfaces[0], "mgmt0");
}

TEST(Rendezvous, unseen_node_uses_its_literal_address_first) {
  HostFacts remote = facts("10.0.0.2", "eth0");
  remote.reached_at.clear();
  auto plan = nodes({model::kOpened});
  plan.nodes[0].host.name = "10.0.0.2";
  EXPECT_EQ(rendezvous(plan, AllFacts{remote}).point.address, "10.0.0.2");
  EXPECT_EQ(rendezvous(plan, AllFacts{remote}).interfaces[0], "eth0");
}

TEST(Rendezvous, node_without_real_interfaces_uses_its_host_name) {
  HostFacts remote;
  remote.hostname = "worker";
  for (const char* name : {"docker0", "veth1", "virbr0", "br-1", "cni0", "flannel.1", "cali1",
                           "tailscale0", "wg0", "tun0"}) {
    remote.interfaces.push_back({name, "10.9.9.9"});
  }
  remote.interfaces.push_back({"eth0", "fe80::1%eth0"});
  const auto where = rendezvous(nodes({model::kOpened}), AllFacts{remote});
  EXPECT_EQ(where.point.address, "worker");
  EXPECT_EQ(where.interfaces[0], "");
  EXPECT_EQ(where.point.port, "29500");
}

TEST(Rendezvous, address_of_a_translating_router_has_no_interface) {
  HostFacts remote = facts("10.0.0.2", "eth0");
  remote.reached_at = "203.0.113.7";
  const auto where = rendezvous(nodes({model::kOpened}), AllFacts{remote});
  EXPECT_EQ(where.point.address, "203.0.113.7");
  EXPECT_EQ(where.interfaces[0], "");
}

TEST(Rendezvous, nothing_is_invented_without_facts) {
  const auto where = rendezvous(nodes({model::kLocal, model::kOpened}),
                                AllFacts{facts("10.0.0.100", "ib0"), std::nullopt});
  EXPECT_EQ(where.point.addresses,
            (std::vector<std::string>{"<address of n0>", "<address of n1>"}));
  EXPECT_EQ(where.interfaces[1], "<interface of n1>");
  EXPECT_EQ(where.point.port, "40001");
  EXPECT_FALSE(where.cpus[1]);
  EXPECT_EQ(rendezvous(nodes({model::kOpened}), {}).point.port, "<port of n0>");
}

TEST(Rendezvous, spare_hosts_may_be_talked_to_later) {
  const AllFacts one{facts("10.0.0.2", "eth0")};
  const auto among = [&](model::Carrier first, model::Carrier spare) {
    model::Plan plan = nodes({first});
    plan.spare = {nodes({spare}).nodes[0].host};
    return rendezvous(plan, one).point.among_hosts;
  };
  EXPECT_FALSE(rendezvous(nodes({model::kOpened}), one).point.among_hosts);
  EXPECT_TRUE(among(model::kOpened, model::kOpened));
  EXPECT_TRUE(among(model::kFakeNode, model::kFakeNode));
  EXPECT_FALSE(among(model::kLocal, model::kOpened)) << "over an interface that nobody knows yet";
}

TEST(Rendezvous, some_nodes_know_of_each_other_what_all_know) {
  const auto all = rendezvous(
      nodes({model::kLocal, model::kOpened, model::kOpened}),
      AllFacts{facts("10.0.0.100", "ib0"), facts("10.0.0.2", "eth0"), facts("10.0.0.3", "eth1")});
  const std::vector<std::size_t> last{2};
  const auto where = for_nodes(all, last);
  EXPECT_EQ(where.point.addresses, std::vector<std::string>{all.point.addresses[2]});
  EXPECT_EQ(where.interfaces, std::vector<std::string>{"eth1"});
  EXPECT_EQ(where.point.address, all.point.addresses[2]);
  EXPECT_TRUE(where.point.among_hosts) << "others are there, even if not among these";
}

}  // namespace
}  // namespace muster::plan
