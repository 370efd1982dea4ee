// PMI_process_mapping: the texts that Hydra would give, and a naive reader that understands them.
#include <algorithm>
#include <gtest/gtest.h>

#include "unit/plan/expand_mapping.hpp"

namespace muster::plan {
namespace {

using Nodes = std::vector<std::uint32_t>;

std::string mapped(const Nodes& nodes) {
  const std::string text = process_mapping(nodes);
  EXPECT_EQ(test::expand_mapping(text, nodes.size()), nodes) << text;
  return text;
}

TEST(ProcessMapping, OneNode) {
  EXPECT_EQ(mapped({0}), "(vector,(0,1,1))");
  EXPECT_EQ(mapped({0, 0, 0, 0}), "(vector,(0,1,4))");
}

TEST(ProcessMapping, Blocks) {
  EXPECT_EQ(mapped({0, 0, 1, 1}), "(vector,(0,2,2))");
  EXPECT_EQ(mapped({0, 0, 0, 1}), "(vector,(0,1,3),(1,1,1))");
  EXPECT_EQ(mapped({0, 0, 1, 1, 2}), "(vector,(0,2,2),(2,1,1))");
}

TEST(ProcessMapping, RoundRobin) {
  EXPECT_EQ(mapped({0, 1, 0, 1}), "(vector,(0,2,1))");
  EXPECT_EQ(mapped({0, 1, 2, 0, 1}), "(vector,(0,3,1))");
}

TEST(ProcessMapping, RoundRobinUntilASmallNodeIsFull) {
  EXPECT_EQ(mapped({0, 1, 0, 0}), "(vector,(0,2,1),(0,1,2))");
  EXPECT_EQ(mapped({0, 0, 1, 0, 0, 1, 0, 0}), "(vector,(0,1,2),(1,1,1))");
}

TEST(ProcessMapping, NodesInNoOrder) {
  EXPECT_EQ(mapped({2, 2, 0, 1, 1}), "(vector,(2,1,2),(0,1,1),(1,1,2))");
}

TEST(ProcessMapping, OfAPlan) {
  model::Plan plan;
  for (const std::uint32_t node : {0u, 1u, 0u, 1u})
    plan.ranks.push_back({base::NodeIndex(node), 0});
  EXPECT_EQ(process_mapping(plan), "(vector,(0,2,1))");
}

TEST(ProcessMapping, AMillionRanksTakeNoTime) {
  Nodes nodes(1'000'000);
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    nodes[rank] = static_cast<std::uint32_t>(rank % 1000);
  EXPECT_EQ(process_mapping(nodes), "(vector,(0,1000,1))");
  std::sort(nodes.begin(), nodes.end());
  EXPECT_EQ(process_mapping(nodes), "(vector,(0,1000,1000))");
}

}  // namespace
}  // namespace muster::plan
