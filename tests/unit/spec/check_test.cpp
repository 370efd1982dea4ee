// Specs that contradict themselves are refused, whoever made them.
#include "spec/check.hpp"

#include <functional>
#include <gtest/gtest.h>

#include "spec/limits.hpp"

namespace muster::spec {
namespace {

using model::JobSpec;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""h;

JobSpec good() {
  JobSpec spec;
  spec.apps.front().command = {"true"};
  spec.apps.front().workdir = "/tmp";
  return spec;
}

// The complaint about a good spec that `spoil` has changed.
std::string complaint(const std::function<void(JobSpec&)>& spoil) {
  JobSpec spec = good();
  spoil(spec);
  const auto checked = check(spec);
  if (checked) return "no complaint";
  EXPECT_EQ(checked.error().fault, base::Fault::usage);
  base::Error bare = checked.error();
  bare.hint.clear();
  return to_string(bare);
}

TEST(Check, AcceptsAPlainSpec) { EXPECT_TRUE(check(good())); }

TEST(Check, WantsAProgram) {
  EXPECT_EQ(complaint([](JobSpec& s) { s.apps.front().command.clear(); }), "no program given");
  EXPECT_EQ(complaint([](JobSpec& s) { s.apps.front().command = {""}; }),
            "the program is an empty word");
  JobSpec empty = good();
  empty.apps.front().command.clear();
  EXPECT_EQ(check(empty).error().hint, "for example: muster run -n 2 python3 train.py");
}

TEST(Check, BoundsRanks) {
  EXPECT_EQ(complaint([](JobSpec& s) { s.apps.front().ranks = 0; }),
            "-n: must be from 1 to 1000000, not 0");
  EXPECT_EQ(complaint([](JobSpec& s) { s.apps.front().ranks = 1'000'001; }),
            "-n: must be from 1 to 1000000, not 1000001");
  EXPECT_EQ(complaint([](JobSpec& s) { s.apps.front().ranks = 1'000'000; }), "no complaint");
  EXPECT_EQ(complaint([](JobSpec& s) { s.per_node = 0; }),
            "--per-node: must be from 1 to 1000000, not 0");
}

TEST(Check, SeparatesFakeNodesFromHosts) {
  EXPECT_EQ(complaint([](JobSpec& s) {
              s.fake_nodes = 2;
              s.hosts.push_back({});
            }),
            "--fake-nodes: fake nodes and real hosts cannot be combined");
  EXPECT_EQ(complaint([](JobSpec& s) { s.fake_nodes = kFakeNodesMax + 1; }),
            "--fake-nodes: must be from 1 to 10000, not 10001");
  EXPECT_EQ(complaint([](JobSpec& s) { s.source = model::kHostsListed; }),
            "-H: the host list is empty");
}

TEST(Check, WantsStdinForARankThatCanExist) {
  const auto to_rank = [](std::uint32_t rank) {
    return [rank](JobSpec& s) {
      s.apps.front().ranks = 4;
      s.input = {model::StdinTo::one, base::Rank(rank)};
    };
  };
  EXPECT_EQ(complaint(to_rank(3)), "no complaint");
  EXPECT_EQ(complaint(to_rank(4)), "--stdin: there is no rank 4");
}

TEST(Check, RefusesOddVariableNames) {
  EXPECT_EQ(complaint([](JobSpec& s) {
              s.apps.front().exports = {{"", "x"}};
            }),
            "-x: '' is not a variable name");
  EXPECT_EQ(complaint([](JobSpec& s) {
              s.apps.front().exports = {{"A=B", {}}};
            }),
            "-x: 'A=B' is not a variable name");
  EXPECT_EQ(complaint([](JobSpec& s) { s.apps.front().exports = {{"A", "B=C"}}; }), "no complaint");
}

TEST(Check, BoundsTimes) {
  EXPECT_EQ(complaint([](JobSpec& s) { s.grace = 0ms; }), "no complaint");
  EXPECT_EQ(complaint([](JobSpec& s) { s.grace = -1ms; }),
            "--grace: must be from 0 to 86400 seconds, not -0.001");
  EXPECT_EQ(complaint([](JobSpec& s) { s.lease = 99ms; }),
            "--lease: must be from 0.1 to 86400 seconds, not 0.099");
  EXPECT_EQ(complaint([](JobSpec& s) { s.timeout = 0ms; }),
            "--timeout: must be from 0.001 to 31536000 seconds, not 0");
  EXPECT_EQ(complaint([](JobSpec& s) { s.carrier.patience = 25h; }),
            "--start-timeout: must be from 0.01 to 86400 seconds, not 90000");
}

TEST(Check, BoundsTheCarrier) {
  EXPECT_EQ(complaint([](JobSpec& s) { s.carrier.command.clear(); }),
            "--ssh-command: names no program");
  EXPECT_EQ(complaint([](JobSpec& s) { s.carrier.port = 65536; }),
            "--ssh-port: must be from 1 to 65535, not 65536");
  EXPECT_EQ(complaint([](JobSpec& s) { s.carrier.parallel = 0; }),
            "--max-open: must be from 1 to 10000, not 0");
}

TEST(Check, WantsAnAbsoluteFolder) {
  EXPECT_EQ(complaint([](JobSpec& s) { s.apps.front().workdir = "here"; }),
            "--workdir: 'here' is not absolute");
}

}  // namespace
}  // namespace muster::spec
