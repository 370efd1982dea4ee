// The proof: programs built with Debian's MPICH form their world with our server.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/pmi/mpich_job.hpp"

namespace muster::pmi {
namespace {

constexpr const char* kCompiler = "mpicc.mpich";

// Runs a program from PATH and waits for it.
bool ran_well(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  int status = -1;
  if (::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return false;
  return ::waitpid(pid, &status, 0) == pid && status == 0;
}

class Mpich : public ::testing::Test {
 protected:
  // Compiled once for all tests, in a folder of their own.
  static void SetUpTestSuite() {
    std::string folder = ::testing::TempDir() + "muster_mpich_XXXXXX";
    if (!::mkdtemp(folder.data())) return;
    folder_ = folder;
    const std::string source = std::string(MUSTER_SOURCE_DIR) + "/tests/unit/pmi/mpi_ranks.c";
    has_compiler_ = ran_well({"/bin/sh", "-c", std::string("command -v ") + kCompiler + " >&2"});
    built_ = has_compiler_ && ran_well({kCompiler, "-o", program(), source});
  }
  static void TearDownTestSuite() {
    ::unlink(program().c_str());
    ::rmdir(folder_.c_str());
  }
  void SetUp() override {
    if (!has_compiler_) {
      std::cerr << "NO " << kCompiler << ": NOTHING IS PROVED ABOUT REAL MPI PROGRAMS\n";
      GTEST_SKIP() << kCompiler << " is missing (apt-get install libmpich-dev)";
    }
    ASSERT_TRUE(built_);
  }

  static std::string program() { return folder_ + "/ranks"; }

  static std::string folder_;
  static bool has_compiler_;
  static bool built_;
};

std::string Mpich::folder_;
bool Mpich::has_compiler_ = false;
bool Mpich::built_ = false;

// The first half on node 0, the rest on node 1.
std::vector<std::uint32_t> two_blocks(std::size_t ranks) {
  std::vector<std::uint32_t> nodes(ranks, 0);
  std::fill(nodes.begin() + static_cast<std::ptrdiff_t>((ranks + 1) / 2), nodes.end(), 1);
  return nodes;
}

void expect_sums(const std::string& program, const std::vector<std::uint32_t>& nodes) {
  test::MpichJob job(nodes);
  ASSERT_TRUE(job.run({program, "sum"})) << job.output << job.error;
  EXPECT_EQ(job.error, "");
  const std::size_t size = nodes.size();
  for (std::size_t rank = 0; rank < size; ++rank) {
    const std::string line =
        fmt::format("{} of {} sum {} token 17\n", rank, size, size * (size + 1) / 2);
    EXPECT_NE(job.output.find(line), std::string::npos) << line << "in\n" << job.output;
  }
  EXPECT_EQ(job.wait_status, std::vector<int>(size, 0));
  EXPECT_GE(job.head().fences, size > 1 ? 3u : 1u);
  for (std::uint32_t node = 0; node <= nodes.back(); ++node)
    for (const TaskState& state : job.head().world(node).states())
      EXPECT_EQ(state.stage, Stage::finalised) << state.rank.value;
}

TEST_F(Mpich, OneRank) { expect_sums(program(), {0}); }
TEST_F(Mpich, TwoRanksOnOneNode) { expect_sums(program(), {0, 0}); }
TEST_F(Mpich, TwoRanksOnTwoNodes) { expect_sums(program(), {0, 1}); }
TEST_F(Mpich, FiveRanksOnTwoNodes) { expect_sums(program(), two_blocks(5)); }
TEST_F(Mpich, FiveRanksInTurn) { expect_sums(program(), {0, 1, 0, 0, 1}); }
TEST_F(Mpich, SixteenRanksOnTwoNodes) { expect_sums(program(), two_blocks(16)); }

TEST_F(Mpich, AbortGivesItsCode) {
  test::MpichJob job(two_blocks(4));
  ASSERT_TRUE(job.run({program(), "abort"})) << job.output << job.error;
  ASSERT_EQ(job.head().aborted.size(), 1u);
  EXPECT_EQ(job.head().aborted.front().code, 7);
  EXPECT_EQ(job.head().aborted.front().task, base::Rank(3));
}

TEST_F(Mpich, NamesArePublishedAcrossNodes) {
  test::MpichJob job(two_blocks(3));
  ASSERT_TRUE(job.run({program(), "names"})) << job.output << job.error;
  EXPECT_EQ(job.output, "port tag#0$port#4711$\nthen absent\n");
  EXPECT_EQ(job.wait_status, std::vector<int>(3, 0));
}

}  // namespace
}  // namespace muster::pmi
