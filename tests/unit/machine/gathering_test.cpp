// Which nodes have come, and what is wrong with one that may not take part.
#include "machine/gathering.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

using Nodes = std::vector<std::uint32_t>;

wire::Join node(std::optional<std::uint32_t> number, std::uint32_t nodes = 3) {
  return {.nodes = nodes, .node = number, .hostname = "host"};
}

wire::Join called(std::optional<std::uint32_t> number, std::uint32_t nodes = 0) {
  return {.nodes = nodes, .node = number, .hostname = "host", .called = true};
}

TEST(Gathering, NodesComeInAnyOrder) {
  Gathering gathering(3, true);
  EXPECT_EQ(gathering.missing(), (Nodes{1, 2}));
  EXPECT_EQ(gathering.admit(node(2)), 2U);
  EXPECT_EQ(gathering.missing(), Nodes{1});
  EXPECT_EQ(gathering.admit(node(1)), 1U);
  EXPECT_TRUE(gathering.complete());
}

TEST(Gathering, NodesWithoutNumbersGetThem) {
  Gathering gathering(3, false);
  EXPECT_EQ(gathering.admit(node({})), 1U);
  EXPECT_EQ(gathering.admit(node({})), 2U);
  EXPECT_FALSE(gathering.admit(node({})));
}

TEST(Gathering, ANodeThatLeftMayComeAgain) {
  Gathering gathering(2, true);
  EXPECT_TRUE(gathering.admit(node(1, 2)));
  EXPECT_FALSE(gathering.admit(node(1, 2)));
  gathering.leave(1);
  EXPECT_FALSE(gathering.complete());
  EXPECT_TRUE(gathering.admit(node(1, 2)));
}

TEST(Gathering, ContradictionsAreNamed) {
  Gathering gathering(3, true);
  EXPECT_EQ(gathering.admit(node(1, 2)).error().what, "it was started for 2 nodes, node 0 for 3");
  EXPECT_EQ(gathering.admit(node(3)).error().what, "there is no node 3: the job has 3 nodes");
  EXPECT_EQ(gathering.admit(node(0)).error().what, "node 0 has already joined");
  wire::Join other = node(1);
  other.protocol = wire::kProtocol + 1;
  EXPECT_NE(gathering.admit(other).error().what.find("speaks protocol"), std::string::npos);
}

TEST(Gathering, CalledHostsAreNumberedFromTheFirst) {
  Gathering gathering(2, true, kCalledHosts);
  EXPECT_EQ(gathering.first(), 0U);
  EXPECT_EQ(gathering.missing_in_words(), "hosts 0, 1");
  EXPECT_EQ(gathering.admit(called(0)), 0U);
  EXPECT_EQ(gathering.missing_in_words(), "host 1");
  EXPECT_EQ(gathering.admit(called({})), 1U) << "the one that is left";
  EXPECT_TRUE(gathering.complete());
}

TEST(Gathering, CalledHostsMaySayHowManyThereAre) {
  Gathering gathering(2, true, kCalledHosts);
  EXPECT_EQ(gathering.admit(called(0, 3)).error().what,
            "it was started for 3 hosts, the head for 2");
  EXPECT_TRUE(gathering.admit(called(0, 2)));
  EXPECT_EQ(gathering.admit(called(0)).error().what, "host 0 has already joined: host");
  EXPECT_EQ(gathering.admit(called(2)).error().what, "there is no host 2: the head has 2 hosts");
  EXPECT_TRUE(gathering.admit(called(1)));
  EXPECT_EQ(gathering.admit(called({})).error().what, "all 2 hosts have already joined");
}

TEST(Gathering, NodesAndCalledHostsDoNotMix) {
  Gathering job(3, true);
  EXPECT_NE(job.admit(called(1, 3)).error().what.find("muster join has been started there"),
            std::string::npos);
  Gathering head(3, true, kCalledHosts);
  EXPECT_NE(head.admit(node(1)).error().what.find("muster lead waits for hosts"),
            std::string::npos);
}

TEST(Gathering, SaysNodesInWords) {
  EXPECT_EQ(nodes_in_words({1}), "node 1");
  EXPECT_EQ(nodes_in_words({1, 3}), "nodes 1, 3");
  EXPECT_EQ(nodes_in_words({1, 2, 3, 4, 5, 6, 7}), "nodes 1, 2, 3, 4, 5 and 2 more");
}

}  // namespace
}  // namespace muster::machine
