// Ranks that fill NUMA nodes from a device on: three nodes of two cores each, whose distances from
// mlx5_0 are not in the order of their numbers, and a device that nobody knows the place of.
#include "plan/distance.hpp"

#include <gtest/gtest.h>

#include "model/topology_text.hpp"
#include "plan/plan.hpp"

namespace muster::plan {
namespace {

using model::MapBy;

constexpr const char* kThreeNodes =
    "topology 1\nallowed 0-5\nhwthread 0 1 2 3 4 5\ncore 0 1 2 3 4 5\nnuma 0-1 2-3 4-5\n"
    "package 0-5\nmachine 0-5\nmemory 1 1 1\n";
constexpr const char* kDevices =
    "device mlx5_0 infiniband 4-5 31 21 10\ndevice eth0 net 2-3\ndevice eth1 net -\n"
    "device 0 CUDA_VISIBLE_DEVICES 0-1\n";

struct Near {
  model::JobSpec spec;
  model::Inventory hosts;
  model::Topology topology;

  Near(std::uint32_t ranks, std::string device, const std::string& devices = kDevices) {
    spec.apps.front().command = {"./app"};
    spec.apps.front().ranks = ranks;
    spec.mapping.map_by = MapBy::distance;
    spec.mapping.level = model::Level::numa;
    spec.mapping.device = std::move(device);
    spec.mapping.map_given = true;
    spec.mapping.bind_to = model::BindTo::object;
    spec.mapping.bind_level = model::Level::numa;
    spec.mapping.bind_given = spec.mapping.bind_overload = true;
    topology = model::decode_topology(kThreeNodes + devices).value();
    hosts.source = model::kHostsListed;
    add_host("a", 6);
  }
  void add_host(const std::string& name, std::uint32_t slots) {
    model::Host& host = hosts.hosts.emplace_back();
    host.name = name;
    host.slots = slots;
  }
  [[nodiscard]] base::Result<model::Plan> plan() {
    const model::SharedTopology shared{std::make_shared<const model::Topology>(topology)};
    for (model::Host& host : hosts.hosts) host.topology = shared;
    return place(spec, hosts);
  }
  // "a:4-5 a:4-5 b:2-3", or the error.
  [[nodiscard]] std::string layout() {
    const auto made = plan();
    if (!made) return to_string(made.error());
    std::string text;
    for (std::uint32_t rank = 0; rank < made->ranks.size(); ++rank) {
      const model::PlannedNode& node = made->nodes[made->ranks[rank].node.value];
      text += (text.empty() ? "" : " ") + node.host.name + ":" +
              model::to_string(made->cpus_of(base::Rank(rank)));
    }
    return text;
  }
};

TEST(Distance, needs_to_know_the_hardware) { EXPECT_TRUE(needs_topology(Near(1, "x").spec)); }

TEST(Distance, the_nearest_node_is_filled_first) {
  EXPECT_EQ(Near(5, "mlx5_0").layout(), "a:4-5 a:4-5 a:2-3 a:2-3 a:0-1");
  EXPECT_EQ(Near(5, "auto").layout(), Near(5, "mlx5_0").layout());
  EXPECT_EQ(Near(1, "mlx5_0").plan()->policy, "by distance to mlx5_0");
}

TEST(Distance, without_a_table_the_nodes_near_the_device_come_first) {
  EXPECT_EQ(Near(4, "eth0").layout(), "a:2-3 a:2-3 a:0-1 a:0-1");
}

TEST(Distance, a_table_is_enough_where_no_cpu_near_the_device_is_left) {
  EXPECT_EQ(Near(5, "eth2", "device eth2 net - 31 10 21\n").layout(),
            "a:2-3 a:2-3 a:4-5 a:4-5 a:0-1");
}

TEST(Distance, hosts_are_filled_by_slot_or_evenly) {
  Near two(4, "mlx5_0");
  two.hosts.hosts.front().slots = 3;
  two.add_host("b", 3);
  EXPECT_EQ(two.layout(), "a:4-5 a:4-5 a:2-3 b:4-5");
  two.spec.mapping.span = true;
  EXPECT_EQ(two.layout(), "a:4-5 a:4-5 b:4-5 b:4-5");
  EXPECT_EQ(two.plan()->policy, "by distance to mlx5_0, span");
}

TEST(Distance, ranks_are_numbered_as_that_is_asked_for) {
  Near two(6, "mlx5_0");
  two.hosts.hosts.front().slots = 3;
  two.add_host("b", 3);
  two.spec.mapping.rank_given = true;
  two.spec.mapping.rank_by = model::RankBy::slot;
  EXPECT_EQ(two.layout(), "a:4-5 a:4-5 a:2-3 b:4-5 b:4-5 b:2-3");
  two.spec.mapping.rank_by = model::RankBy::node;
  EXPECT_EQ(two.layout(), "a:4-5 b:4-5 a:4-5 b:4-5 a:2-3 b:2-3");
  two.spec.mapping.rank_level = model::Level::numa;
  two.spec.mapping.rank_by = model::RankBy::fill;
  EXPECT_EQ(two.layout(), "a:2-3 a:4-5 a:4-5 b:2-3 b:4-5 b:4-5") << "by the nodes' numbers";
  two.spec.mapping.rank_by = model::RankBy::span;
  EXPECT_EQ(two.layout(), "a:2-3 a:4-5 b:2-3 b:4-5 a:4-5 b:4-5");
}

TEST(Distance, ranks_with_several_cpus_fill_a_node_sooner) {
  Near wide(3, "mlx5_0");
  wide.spec.mapping.cpus_per_rank = 2;
  wide.spec.mapping.bind_level = model::Level::core;
  EXPECT_EQ(wide.layout(), "a:4-5 a:2-3 a:0-1");
  wide.spec.mapping.cpus_per_rank = 3;
  EXPECT_EQ(wide.plan().error().what,
            "3 cpus for each rank are more than the 2 that a numa of a has");
}

TEST(Distance, behind_the_farthest_node_ranks_begin_anew) {
  Near many(8, "mlx5_0");
  many.spec.oversubscribe = true;
  EXPECT_EQ(many.layout(), "a:4-5 a:4-5 a:2-3 a:2-3 a:0-1 a:0-1 a:4-5 a:4-5");
}

TEST(Distance, of_what_may_be_used) {
  Near some(3, "mlx5_0");
  some.topology.allowed = *model::parse_cpu_set("1-3");
  EXPECT_EQ(some.layout(), "a:2-3 a:2-3 a:1");
}

TEST(Distance, a_host_with_one_node_needs_no_device) {
  Near one(2, "mlx5_7");
  one.topology.allowed = model::CpuSet::range(0, 1);
  EXPECT_EQ(one.layout(), "a:0-1 a:0-1");
}

TEST(Distance, complains_about_a_device_that_is_not_there_or_nowhere) {
  const std::string has = "\n  hint: a has mlx5_0, eth0, eth1";
  EXPECT_EQ(Near(1, "mlx5_7").layout(), "a has no network device mlx5_7 to map by" + has);
  EXPECT_EQ(Near(1, "0").layout(), "a has no network device 0 to map by" + has);
  EXPECT_EQ(Near(1, "auto", "device eth0 net 2-3\n").layout(),
            "a has 0 InfiniBand devices: which one is to be near?\n  hint: a has eth0");
  EXPECT_EQ(Near(1, "eth1").layout(),
            "a does not tell which NUMA node eth1 is near to\n"
            "  hint: --map-by numa deals ranks to NUMA nodes in turn");
  EXPECT_EQ(Near(1, "").layout(),
            "mapping by distance needs the name of a device\n"
            "  hint: for example --map-by dist:mlx5_0, or dist:auto");
}

}  // namespace
}  // namespace muster::plan
