// Command lines on record tell how hosts were reached, whatever kind of job they asked for.
#include "cli/ways.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "store/foreign.hpp"
#include "unit/folder.hpp"

namespace muster::cli::ways_test {
namespace {

using Hosts = std::set<std::string>;
using Words = std::vector<std::string>;
using Files = std::map<std::string, std::string>;

class WaysOf : public testing::Test {
 protected:
  // Of a run that was asked for in /here, with the texts of these files.
  [[nodiscard]] Ways ways(const Hosts& hosts, const Words& words, const Files& files) const {
    model::RunRecord record;
    record.run = "20261130-020204.414-dabofi";
    record.folder = folder_.path() + "/" + record.run;
    std::filesystem::create_directories(record.folder);
    nlohmann::json asked = {{"words", words}, {"folder", "/here"}};
    asked["files"] = nlohmann::json::array();
    for (const auto& [path, text] : files) {
      asked["files"].push_back({{"path", path}, {"text", text}});
    }
    (void)folder_.file(record.run + "/spec.json", nlohmann::json{{"asked", asked}}.dump(), false);
    Ways found;
    add_ways(hosts, record, found);
    return found;
  }

  unit::Folder folder_;
};

constexpr const char* kJob =
    "command: echo > ${{outputs.model}}/x\n"
    "distribution: {type: mpi}\n"
    "resources: {instance_count: 2}\n"
    "outputs: {model: {type: uri_folder}}\n";

TEST_F(WaysOf, AJobWithOptions) {
  const Words words = {
      "submit",          "/here/job.yml",  "-H", "ana@node1,node2", "--ssh-command",
      "ssh -J 'a jump'", "--ssh-identity", "key"};
  EXPECT_EQ(ways({"node1", "node2"}, words, {{"/here/job.yml", kJob}}),
            (Ways{{{"--ssh-command", "ssh -J 'a jump'", "--ssh-identity", "/here/key"},
                   {"ana@node1", "node2"}}}));
}

TEST_F(WaysOf, HostsWithPortsOfTheirOwn) {
  const std::string list = "node1 port=2222 user=ana\nnode2 port=2223\n[fe80::1]\n";
  const Words words = {"submit", "/here/job.yml", "--hostfile", "/here/list", "--ssh-port", "2200"};
  EXPECT_EQ(
      ways({"node1", "node2", "fe80::1"}, words, {{"/here/job.yml", kJob}, {"/here/list", list}}),
      (Ways{{{"--ssh-port", "2200"}, {"[fe80::1]"}},
            {{"--ssh-port", "2222"}, {"ana@node1"}},
            {{"--ssh-port", "2223"}, {"node2"}}}));
}

TEST_F(WaysOf, StepsWithTargetsOfTheirOwn) {
  const std::string pipeline =
      "type: pipeline\n"
      "jobs:\n"
      "  one:\n"
      "    command: echo > ${{outputs.m}}/x\n"
      "    compute: a\n"
      "    outputs: {m: {type: uri_folder}}\n"
      "  two:\n"
      "    command: ls ${{inputs.i}}\n"
      "    compute: b\n"
      "    inputs: {i: '${{parent.jobs.one.outputs.m}}'}\n";
  const std::string targets =
      "targets:\n"
      "  a: {hosts: node1, ssh_port: 2201}\n"
      "  b: {hosts: 'bob@node2', ssh_port: 2202}\n";
  EXPECT_EQ(ways({"node1", "node2"}, {"submit", "/here/p.yml"},
                 {{"/here/p.yml", pipeline}, {"/here/muster.yml", targets}}),
            (Ways{{{"--ssh-port", "2201"}, {"node1"}}, {{"--ssh-port", "2202"}, {"bob@node2"}}}));
}

TEST_F(WaysOf, ASweep) {
  const std::string sweep =
      "type: sweep\n"
      "trial: {command: 'echo ${{search_space.lr}} > ${{outputs.model}}/x'}\n"
      "sampling_algorithm: grid\n"
      "search_space: {lr: {type: choice, values: [0.1, 0.2]}}\n"
      "objective: {goal: minimize, primary_metric: loss}\n"
      "limits: {max_total_trials: 2}\n"
      "outputs: {model: {type: uri_folder}}\n";
  EXPECT_EQ(ways({"node1", "node2"},
                 {"submit", "/here/s.yml", "-H", "node1,ana@node2", "--ssh-port", "2222"},
                 {{"/here/s.yml", sweep}}),
            (Ways{{{"--ssh-port", "2222"}, {"node1", "ana@node2"}}}));
}

TEST_F(WaysOf, HostsThatNoListNames) {
  const Words words = {"submit", "/here/job.yml", "-H", "node1,node2", "--ssh-port", "2222"};
  EXPECT_EQ(ways({"node3"}, words, {{"/here/job.yml", kJob}}),
            (Ways{{{"--ssh-port", "2222"}, {"node3"}}}));
}

// A pipeline's steps of one node each have both in turn.
TEST_F(WaysOf, HostsThatStepsShare) {
  const std::string pipeline =
      "type: pipeline\n"
      "jobs:\n"
      "  one: {command: echo 1}\n"
      "  two: {command: echo 2}\n";
  const Words words = {"submit", "/here/p.yml", "-H", "ana@node1,bob@node2,[fe80::1]"};
  EXPECT_EQ(ways({"node1", "node2", "fe80::1"}, words, {{"/here/p.yml", pipeline}}),
            (Ways{{{}, {"[fe80::1]", "ana@node1", "bob@node2"}}}));
}

// Files of now are not looked at.
TEST_F(WaysOf, WordsThatCannotBeReadAgain) {
  const std::string file = folder_.file("job.yml", kJob, false);
  const Words words = {"submit", file, "-H", "node1,node2", "--ssh-port", "2222"};
  EXPECT_EQ(ways({"node1", "fe80::1"}, words, {}), (Ways{{{}, {"node1", "[fe80::1]"}}}));
  EXPECT_EQ(ways({"node1"}, {}, {}), (Ways{{{}, {"node1"}}}));
  EXPECT_EQ(ways({"node1"}, {"nosuch"}, {}), (Ways{{{}, {"node1"}}}));
  EXPECT_EQ(ways({}, words, {{file, kJob}}), Ways());
}

// Nobody is offered a command that somebody else has written.
TEST_F(WaysOf, ARunOfAnotherUser) {
  const Words words = {"submit", "/here/job.yml", "-H", "node1,node2", "--ssh-command", "./trap"};
  const Files files = {{"/here/job.yml", kJob}};
  EXPECT_EQ(ways({"node1"}, words, files), (Ways{{{"--ssh-command", "./trap"}, {"node1"}}}));
  ASSERT_TRUE(store::mark_foreign(folder_.path(), "20261130-020204.414-dabofi", "uid 4711"));
  EXPECT_EQ(ways({"node1"}, words, files), (Ways{{{}, {"node1"}}}));
}

}  // namespace
}  // namespace muster::cli::ways_test
