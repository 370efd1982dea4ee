// What claims and images say of themselves.
#include <gtest/gtest.h>

#include "cluster/claim.hpp"
#include "cluster/image_facts.hpp"

namespace muster::cluster {
namespace {

using Names = std::set<std::string>;

TEST(Claims, SayTheirPhaseAndModes) {
  const Claim claim = read_claim("Bound ReadWriteOnce ReadOnlyMany");
  EXPECT_EQ(claim.phase, "Bound");
  EXPECT_EQ(claim.modes, (std::vector<std::string>{"ReadWriteOnce", "ReadOnlyMany"}));
  EXPECT_TRUE(read_claim("Pending ").modes.empty());
}

TEST(Claims, ReachPodsOnSeveralNodesByTheirModes) {
  EXPECT_TRUE(reaches(read_claim("Bound ReadWriteMany"), 8, false));
  EXPECT_TRUE(reaches(read_claim("Bound ReadWriteOnce"), 1, false));
  EXPECT_FALSE(reaches(read_claim("Bound ReadWriteOnce"), 2, false));
  EXPECT_FALSE(reaches(read_claim("Bound ReadWriteOncePod"), 1, false));
  EXPECT_FALSE(reaches(read_claim("Bound ReadOnlyMany"), 2, false));
  EXPECT_TRUE(reaches(read_claim("Bound ReadOnlyMany"), 2, true));
  EXPECT_TRUE(reaches(read_claim("Pending "), 2, false));  // nothing is known
}

TEST(Images, HaveTheProcessorsOfTheirManifests) {
  EXPECT_EQ(processors_of_list(R"({"manifests": [
              {"platform": {"architecture": "amd64", "os": "linux"}},
              {"platform": {"architecture": "arm64", "os": "linux"}},
              {"platform": {"architecture": "unknown", "os": "unknown"}}]})"),
            (Names{"amd64", "arm64"}));
  EXPECT_TRUE(processors_of_list(R"({"config": {}, "layers": []})").empty());
  EXPECT_TRUE(processors_of_list("no JSON").empty());
}

TEST(Images, AreOnNodesByTheirWholeNames) {
  const char* const nodes =
      "amd64 docker.io/library/busybox:latest registry/x@sha256:0 quay.io:443/a/b:2\n"
      "arm64 docker.io/pytorch/pytorch:2.4\n";
  EXPECT_EQ(processors_of_nodes(nodes, "busybox"), Names{"amd64"});
  EXPECT_EQ(processors_of_nodes(nodes, "pytorch/pytorch:2.4"), Names{"arm64"});
  EXPECT_EQ(processors_of_nodes(nodes, "quay.io:443/a/b:2"), Names{"amd64"});
  EXPECT_TRUE(processors_of_nodes(nodes, "busybox:1").empty());
  EXPECT_TRUE(processors_of_nodes(nodes, "amd64").empty());
}

}  // namespace
}  // namespace muster::cluster
