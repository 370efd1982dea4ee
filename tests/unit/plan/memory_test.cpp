// Where memory comes from on hosts that are made up: two NUMA nodes with cpus, one without.
#include "plan/memory.hpp"

#include <gtest/gtest.h>

#include "plan/plan.hpp"

namespace muster::plan {
namespace {

using model::CpuSet;
using model::MemoryMode;
using model::MemoryPolicy;
using model::MemoryWish;
using model::NumaNode;

const std::vector<NumaNode> kNodes = {
    {0, CpuSet::range(0, 3)}, {1, CpuSet::range(4, 7)}, {4, CpuSet()}};

CpuSet set(const char* text) { return model::parse_cpu_set(text).value_or(CpuSet()); }

MemoryPolicy given(const MemoryWish& wish, const char* cpus,
                   const std::vector<NumaNode>& nodes = kNodes) {
  const auto policy = memory_policy(wish, nodes, set(cpus));
  EXPECT_TRUE(policy) << policy.error().what;
  return policy.value_or(MemoryPolicy());
}

TEST(Memory, a_rank_that_binds_none_inherits) { EXPECT_EQ(given({}, "0-7"), MemoryPolicy()); }

TEST(Memory, local_names_no_node) {
  EXPECT_EQ(given({.mode = MemoryMode::local}, "0"), (MemoryPolicy{MemoryMode::local, {}}));
}

TEST(Memory, interleaved_over_all_nodes_that_there_are) {
  EXPECT_EQ(given({.mode = MemoryMode::interleave}, "0"),
            (MemoryPolicy{MemoryMode::interleave, set("0-1,4")}));
}

TEST(Memory, a_list_holds_wherever_the_rank_runs) {
  const MemoryWish wish{.mode = MemoryMode::bind, .nodes = set("1,4")};
  EXPECT_EQ(given(wish, "0"), (MemoryPolicy{MemoryMode::bind, set("1,4")}));
  EXPECT_EQ(given(wish, "0", {}), (MemoryPolicy{MemoryMode::bind, set("1,4")})) << "not known";
}

TEST(Memory, own_nodes_are_those_of_the_ranks_cpus) {
  const MemoryWish wish{.mode = MemoryMode::bind, .own_nodes = true};
  EXPECT_EQ(given(wish, "2").nodes, set("0"));
  EXPECT_EQ(given(wish, "3-4").nodes, set("0-1"));
  EXPECT_EQ(given(wish, "12").nodes, set("0-1,4")) << "cpus that belong to no node";
}

TEST(Memory, a_node_that_is_missing_is_named) {
  const auto policy =
      memory_policy({.mode = MemoryMode::bind, .nodes = set("1-3")}, kNodes, set("0"));
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().fault, base::Fault::usage);
  EXPECT_EQ(policy.error().what, "there is no memory for this job on NUMA node 2-3, only on 0-1,4");
}

struct Here {
  model::JobSpec spec;
  ThisMachine machine{{8}, "here", {}};

  explicit Here(MemoryWish wish, std::uint32_t fake_nodes = 0) {
    spec.apps.front().command = {"./app"};
    spec.fake_nodes = fake_nodes;
    spec.mapping.memory = std::move(wish);
    machine.numa = {{0, CpuSet::range(0, 7)}};
  }
  [[nodiscard]] base::Result<model::Plan> plan() const {
    return inventory(spec, machine).and_then([&](const model::Inventory& made) {
      return place(spec, made);
    });
  }
  [[nodiscard]] std::vector<std::string> notices() const { return plan().value().notices; }
};

TEST(Memory, a_plan_tells_where_a_policy_changes_nothing) {
  EXPECT_EQ(
      Here({.mode = MemoryMode::interleave}).notices(),
      (std::vector<std::string>{"binding memory changes nothing on here: there is one NUMA node"}));
  EXPECT_EQ(Here({.mode = MemoryMode::local}, 3).notices(),
            (std::vector<std::string>{"binding memory changes nothing on fake-0 and 1 more host: "
                                      "there is one NUMA node"}));
  Here two({.mode = MemoryMode::interleave});
  two.machine.numa = kNodes;
  EXPECT_TRUE(two.notices().empty());
  EXPECT_TRUE(Here({}).notices().empty());
}

TEST(Memory, a_plan_fails_where_a_known_host_lacks_a_node) {
  const auto plan = Here({.mode = MemoryMode::bind, .nodes = set("1")}, 2).plan();
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().what, "fake-0: there is no memory for this job on NUMA node 1, only on 0");
}

}  // namespace
}  // namespace muster::plan
