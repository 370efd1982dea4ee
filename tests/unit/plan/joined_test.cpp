// One job of nodes that were started separately.
#include "plan/joined.hpp"

#include <gtest/gtest.h>

#include "model/carriers.hpp"

namespace muster::plan::joined_test {
namespace {

using Shell = std::vector<std::string>;

JoinedNode node(const std::string& hostname, std::uint32_t ranks = 1) {
  return {hostname, {"worker"}, "/there", "role", ranks, {"OMP_NUM_THREADS=7"}};
}

JoinedJob job(const std::vector<JoinedNode>& nodes) {
  model::JobSpec own;
  own.per_node = 2;
  own.apps.front().command = {"own"};
  own.apps.front().workdir = "/here";
  ThisMachine here;
  here.hostname = "head";
  here.cpus.usable = 4;
  auto made = joined(own, here, Shell{"A=1", "RANK=3"}, nodes);
  EXPECT_TRUE(made);
  return made.value_or(JoinedJob{});
}

TEST(JoinedNodes, EachBringsItsProgramAndItsRanks) {
  const JoinedJob made = job({node("n1", 3)});
  ASSERT_EQ(made.spec.apps.size(), 2U);
  EXPECT_EQ(made.spec.apps[0].command, Shell{"own"});
  EXPECT_EQ(made.spec.apps[0].ranks, 2U);
  EXPECT_EQ(made.spec.apps[1].command, Shell{"worker"});
  EXPECT_EQ(made.spec.apps[1].workdir, "/there");
  EXPECT_EQ(made.spec.apps[1].role, "role");
  EXPECT_EQ(made.inventory.hosts[0].carrier, model::kLocal);
  EXPECT_EQ(made.inventory.hosts[0].cpus, model::Cpus{4});
  EXPECT_EQ(made.inventory.hosts[1].carrier, model::kJoined);
  const auto placed = place(made.spec, made.inventory);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->nodes[0].ranks.size(), 2U);
  EXPECT_EQ(placed->nodes[1].ranks.size(), 3U);
}

TEST(JoinedNodes, OfOneNameAreStillTwo) {
  const JoinedJob made = job({node("head"), node(""), node("head")});
  EXPECT_EQ(made.inventory.hosts[0].name, "head");
  EXPECT_EQ(made.inventory.hosts[1].name, "head#1");
  EXPECT_EQ(made.inventory.hosts[2].name, "node");
  EXPECT_EQ(made.inventory.hosts[3].name, "head#3");
  EXPECT_EQ(made.spec.apps[3].hosts, Shell{"head#3"});
}

TEST(JoinedNodes, KeepTheirOwnShells) {
  const JoinedJob made = job({node("n1")});
  const auto& own = made.kept.on(made.inventory.hosts[0])[0];
  ASSERT_EQ(own.kept.size(), 1U);
  EXPECT_EQ(own.kept[0].name, "A");
  ASSERT_EQ(own.withheld.size(), 1U);
  const auto& there = made.kept.on(made.inventory.hosts[1])[1];
  ASSERT_EQ(there.kept.size(), 1U);
  EXPECT_EQ(there.kept[0].name, "OMP_NUM_THREADS");
}

}  // namespace
}  // namespace muster::plan::joined_test
