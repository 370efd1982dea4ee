// What launchers exit with when nothing starts: what their parser refuses, and what they refuse
// after it (mpirun 4.1.4, Hydra 4.0.2, Horovod 0.28.1, torch 1.13 and DeepSpeed 0.15.4, by trial).
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "unit/cli/command_line.hpp"
#include "unit/folder.hpp"

namespace muster::cli {
namespace {

struct Refused {
  std::string launcher;
  std::vector<std::string> words;
  int code;
};

class ExitCodes : public testing::Test {
 protected:
  void SetUp() override {
    folder_.file("two", "localhost slots=2\n", false);
    folder_.file("odd", "localhost slots=x\n", false);
    folder_.file("odd.yaml", "params:\n  fusion_threshold_mb: x\n", false);
  }

  void expect(const std::vector<Refused>& all) const {
    for (const Refused& one : all) {
      std::vector<std::string> words = one.words;
      words.insert(words.begin(), one.launcher);
      for (std::string& word : words) {
        if (word.starts_with("@")) word = folder_.path() + "/" + word.substr(1);
      }
      const Answer answer = CommandLine()(words);
      EXPECT_EQ(answer.code, one.code) << fmt::format("{}", fmt::join(words, " ")) << answer.err;
      EXPECT_TRUE(answer.runs.empty());
    }
  }

  unit::Folder folder_;
};

TEST_F(ExitCodes, OfMpirunAreAlwaysOne) {
  expect({{"mpirun", {"--nosuch", "true"}, 1},
          {"mpirun", {"-np", "x", "true"}, 1},
          {"mpirun", {"-np", "1"}, 1},
          {"mpirun", {"-np", "3", "-H", "localhost:2", "true"}, 1},
          {"mpirun", {"-np", "3", "--hostfile", "@two", "true"}, 1},
          {"mpirun", {"-np", "1", "--hostfile", "@nosuch", "true"}, 1},
          {"mpirun", {"-np", "1", "--hostfile", "@odd", "true"}, 1},
          {"mpirun", {"-np", "1", "--rankfile", "@nosuch", "true"}, 1},
          {"mpirun", {"-np", "3", "--map-by", "ppr:1:node", "true"}, 1}});
}

TEST_F(ExitCodes, OfHydraAreAlways255) {
  expect({{"mpiexec.hydra", {"-nosuch", "true"}, 255},
          {"mpiexec.hydra", {"-n", "1", "-n", "2", "true"}, 255},
          {"mpiexec.hydra", {"-f", "@nosuch", "-n", "1", "true"}, 255},
          {"mpiexec.hydra", {"-configfile", "@nosuch"}, 255},
          {"mpiexec.hydra", {"-rankmap", "x", "-n", "1", "true"}, 255}});
}

TEST_F(ExitCodes, OfHorovodrunTellItsParserFromTheRest) {
  expect({{"horovodrun", {"-np", "1", "--nosuch", "true"}, 2},
          {"horovodrun", {"true"}, 2},
          {"horovodrun", {"-np", "x", "true"}, 2},
          {"horovodrun", {"-np", "1", "--gloo", "--mpi", "true"}, 2},
          {"horovodrun", {"-np", "1", "--log-level", "x", "true"}, 2},
          {"horovodrun", {"-np", "1", "--start-timeout", "x", "true"}, 2},
          {"horovodrun", {"-np", "-1", "true"}, 1},
          {"horovodrun", {"-np", "1", "--cycle-time-ms", "-1", "true"}, 1},
          {"horovodrun", {"-np", "1", "--cache-capacity", "-1", "true"}, 1},
          {"horovodrun", {"-np", "2", "--min-np", "3", "true"}, 1},
          {"horovodrun", {"-np", "3", "-H", "localhost:2", "true"}, 1},
          {"horovodrun", {"-np", "3", "--hostfile", "@two", "true"}, 1},
          {"horovodrun", {"-np", "1", "-H", "localhost", "true"}, 1},
          {"horovodrun", {"-np", "1", "-H", "localhost:0", "true"}, 1},
          {"horovodrun", {"-np", "1", "-H", "local host:1", "true"}, 1},
          {"horovodrun", {"-np", "1", "--hostfile", "@nosuch", "true"}, 1},
          {"horovodrun", {"-np", "1", "--config-file", "@nosuch", "true"}, 1},
          {"horovodrun", {"-np", "1", "--config-file", "@odd.yaml", "true"}, 1},
          {"horovodrun", {"-np", "1", "--mpi-args=--nosuch", "true"}, 1},
          {"horovodrun", {"-np", "1", "--binding-args=--nosuch", "true"}, 1}});
}

TEST_F(ExitCodes, OfTorchrunTellItsParserFromTheRest) {
  for (const std::string name : {"torchrun", "launch"}) {
    expect({{name, {}, 2},
            {name, {"--nosuch", "t.py"}, 2},
            {name, {"--max_restarts", "x", "t.py"}, 2},
            {name, {"--nproc_per_node", "x", "t.py"}, 1},
            {name, {"--nproc_per_node", "0", "t.py"}, 1},
            {name, {"--nnodes", "2:1", "t.py"}, 1},
            {name, {"--rdzv_backend", "c10d", "--rdzv_endpoint", "a:b", "t.py"}, 1},
            {name, {"--rdzv_endpoint", "a:b", "t.py"}, 1},
            {name, {"-H", "localhost:1", "--nproc_per_node", "0", "t.py"}, 1}});
  }
}

TEST_F(ExitCodes, OfDeepspeedTellItsParserFromTheRest) {
  expect({{"deepspeed", {}, 2},
          {"deepspeed", {"--nosuch", "t.py"}, 2},
          {"deepspeed", {"--num_nodes", "x", "t.py"}, 2},
          {"deepspeed", {"--log_level", "x", "t.py"}, 2},
          {"deepspeed", {"--num_gpus", "-3", "t.py"}, 1},
          {"deepspeed", {"-H", "@odd", "t.py"}, 1},
          {"deepspeed", {"-H", "@two", "--include", "x", "t.py"}, 1},
          {"deepspeed", {"-H", "@two", "--include", "localhost:9", "t.py"}, 1},
          {"deepspeed", {"-H", "@two", "--exclude", "localhost", "t.py"}, 1},
          {"deepspeed", {"-H", "@two", "--include", "x", "--exclude", "y", "t.py"}, 1},
          {"deepspeed", {"-H", "@two", "--num_nodes", "5", "t.py"}, 1},
          {"deepspeed", {"-H", "@two", "--num_nodes", "1", "--include", "localhost", "t.py"}, 1},
          {"deepspeed", {"-H", "@two", "--launcher", "nosuch", "t.py"}, 1},
          {"deepspeed", {"--no_python", "--module", "t"}, 1}});
}

}  // namespace
}  // namespace muster::cli
