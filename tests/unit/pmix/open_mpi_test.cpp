// Real Open MPI programs form their world through our servers, on nodes that this machine plays.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world.hpp"

namespace muster::pmix::test {
namespace {

class OpenMpi : public ::testing::Test {
 protected:
  void SetUp() override {
    program = mpi_ranks();
    if (!program.empty()) return;
    std::cerr << "\n*** NO mpicc.openmpi: NO Open MPI PROGRAM WAS TRIED ***\n\n";
    GTEST_SKIP() << "no mpicc.openmpi";
  }
  Wish wish(std::vector<std::uint32_t> ranks, const std::string& mode) const {
    Wish made;
    made.ranks = std::move(ranks);
    made.command = {program, mode};
    // What a launcher chooses from its routes: these nodes have only loopback between them.
    made.environment = {"OMPI_MCA_btl_tcp_if_include=lo"};
    return made;
  }
  template <class Kind>
  static std::vector<Kind> heard(const Outcome& outcome) {
    std::vector<Kind> list;
    for (const Upcall& upcall : outcome.heard) {
      if (const auto* one = std::get_if<Kind>(&upcall)) list.push_back(*one);
    }
    return list;
  }
  static void expect_success(const Outcome& outcome, std::size_t processes) {
    EXPECT_FALSE(outcome.late);
    EXPECT_EQ(outcome.statuses.size(), processes);
    for (const auto& [proc, status] : outcome.statuses) {
      EXPECT_EQ(status, 0) << proc.nspace << " " << proc.rank << "\n" << outcome.output;
    }
    EXPECT_EQ(heard<Finalized>(outcome).size(), processes);
    EXPECT_TRUE(outcome.unfinalized.empty()) << "ended before its MPI_Finalize was known";
    EXPECT_EQ(heard<Broken>(outcome).size(), 0u);
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  }

  std::string program;
};

class OpenMpiWorld : public OpenMpi,
                     public ::testing::WithParamInterface<std::vector<std::uint32_t>> {};

TEST_P(OpenMpiWorld, Forms) {
  World world(wish(GetParam(), "hello"));
  const Outcome outcome = world.run();
  std::uint32_t size = 0;
  for (const std::uint32_t ranks : GetParam()) size += ranks;
  expect_success(outcome, size);
  EXPECT_EQ(outcome.servers, GetParam().size());
  std::uint32_t rank = 0;
  for (const std::uint32_t ranks : GetParam()) {
    for (std::uint32_t i = 0; i < ranks; ++i, ++rank) {
      const std::string line = "rank " + std::to_string(rank) + " of " + std::to_string(size) +
                               " sum " + std::to_string(size * (size + 1) / 2) + " local " +
                               std::to_string(ranks) + "\n";
      EXPECT_EQ(count(outcome.output, line), 1u) << line << "is not in\n" << outcome.output;
    }
  }
  std::cerr << size << " ranks, " << GetParam().size() << " nodes: " << outcome.took.count()
            << " s\n";
}

using Nodes = std::vector<std::uint32_t>;
INSTANTIATE_TEST_SUITE_P(Sizes, OpenMpiWorld,
                         ::testing::Values(Nodes{1}, Nodes{2}, Nodes{4}, Nodes{16}, Nodes{1, 1},
                                           Nodes{2, 2}, Nodes{8, 8}, Nodes{1, 3, 2, 1}));

TEST_F(OpenMpi, ScratchIsGoneAfterwards) {
  World world(wish({2, 1}, "hello"));
  expect_success(world.run(), 3);
  EXPECT_FALSE(std::filesystem::exists(world.scratch(0)));
  EXPECT_FALSE(std::filesystem::exists(world.scratch(1)));
}

TEST_F(OpenMpi, ProgramsThatAreNotMpiStartNoServer) {
  Wish made = wish({4, 4}, "");
  made.command = {"/bin/true"};
  World world(made);
  const Outcome outcome = world.run();
  EXPECT_EQ(outcome.servers, 0u);
  EXPECT_EQ(outcome.statuses.size(), 8u);
  EXPECT_FALSE(std::filesystem::exists(world.scratch(0)));
}

TEST_F(OpenMpi, JobControlMayEndTheJob) {
  for (const char* mode : {"kill", "kill_nb"}) {
    World world(wish({1, 2}, mode));
    const Outcome outcome = world.run();
    EXPECT_FALSE(outcome.late) << mode;
    const auto ends = heard<Aborted>(outcome);
    ASSERT_EQ(ends.size(), 1u) << mode;
    EXPECT_EQ(ends[0].proc.rank, 1u);
    EXPECT_EQ(ends[0].code, 128 + SIGTERM);
    EXPECT_EQ(ends[0].message, "it asked for the end of the job (PMIx_Job_control)");
  }
}

TEST_F(OpenMpi, JobControlSendsSignals) {
  for (const char* mode : {"signal", "signal_nb"}) {
    World world(wish({1, 2}, mode));
    const Outcome outcome = world.run();
    expect_success(outcome, 3);
    EXPECT_EQ(count(outcome.output, "asked: 0\n"), 1u) << outcome.output;
    const auto orders = heard<Event>(outcome);
    ASSERT_EQ(orders.size(), 1u) << mode;
    EXPECT_EQ(orders[0].code, kSignalRanks);
    EXPECT_EQ(orders[0].source.rank, kAllRanks);
    EXPECT_FALSE(orders[0].source.nspace.empty());
    EXPECT_EQ(orders[0].blob, "10");
  }
}

TEST_F(OpenMpi, JobControlRefusesTheRest) {
  constexpr const char* kAnswer = "asked: -47\n";  // PMIX_ERR_NOT_SUPPORTED
  for (const char* mode : {"pause", "pause_nb"}) {
    World world(wish({1, 1}, mode));
    const Outcome outcome = world.run();
    expect_success(outcome, 2);
    EXPECT_EQ(count(outcome.output, kAnswer), 1u) << outcome.output;
  }
}

TEST_F(OpenMpi, ServersStartOnlyWhereMpiProgramsRun) {
  Wish made = wish({1, 1}, "");
  made.command = {"bash", "-c", "[ $PMIX_RANK = 1 ] || exec \"$0\" 1", "/bin/true"};
  EXPECT_EQ(World(made).run().servers, 0u);
}

TEST_F(OpenMpi, WrappersNeedNothing) {
  Wish made = wish({2, 1}, "");
  made.command = {"env", "A=b", "bash", "-c", "true; \"$0\" hello; exit $?", program};
  World world(made);
  const Outcome outcome = world.run();
  expect_success(outcome, 3);
  EXPECT_EQ(count(outcome.output, " of 3 sum 6 "), 3u) << outcome.output;
}

TEST_F(OpenMpi, Mpi4pyWorksToo) {
  if (std::system("/usr/bin/python3 -c 'import mpi4py' 2>/dev/null") != 0) {
    std::cerr << "\n*** NO python3-mpi4py: IT WAS NOT TRIED ***\n\n";
    GTEST_SKIP() << "no mpi4py";
  }
  Wish made = wish({2, 2}, "");
  made.command = {"/usr/bin/python3", "-c",
                  "import sys; from mpi4py import MPI; c = MPI.COMM_WORLD; "
                  "sys.stdout.write(str(c.allgather(c.rank)) + ';')"};
  World world(made);
  const Outcome outcome = world.run();
  expect_success(outcome, 4);
  EXPECT_EQ(count(outcome.output, "[0, 1, 2, 3];"), 4u) << outcome.output;
}

TEST_F(OpenMpi, AbortNamesRankAndCode) {
  World world(wish({2, 1}, "abort"));
  const Outcome outcome = world.run();
  EXPECT_FALSE(outcome.late);
  const auto aborts = heard<Aborted>(outcome);
  ASSERT_EQ(aborts.size(), 1u);
  EXPECT_EQ(aborts[0].proc.rank, 1u);
  EXPECT_EQ(aborts[0].code, 42);
  EXPECT_EQ(outcome.statuses.size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(world.scratch(0)));
}

TEST_F(OpenMpi, ARankThatDiesInInitEndsTheJob) {
  World world(wish({2, 2}, "die"));
  const Outcome outcome = world.run();
  EXPECT_FALSE(outcome.late);
  ASSERT_EQ(outcome.statuses.size(), 4u);
  for (const auto& [proc, status] : outcome.statuses) {
    if (proc.rank == 1) {
      EXPECT_EQ(WEXITSTATUS(status), 3);
    } else {
      EXPECT_TRUE(WIFSIGNALED(status)) << "rank " << proc.rank << " did not wait for rank 1";
    }
  }
  EXPECT_EQ(heard<Finalized>(outcome).size(), 0u);
  EXPECT_FALSE(std::filesystem::exists(world.scratch(0)));
}

TEST_F(OpenMpi, SpawnsOnOneNodeAndOnTwo) {
  for (const Nodes& nodes : {Nodes{2}, Nodes{1, 1}}) {
    World world(wish(nodes, "spawn"));
    const Outcome outcome = world.run();
    expect_success(outcome, 5);
    EXPECT_EQ(count(outcome.output, "parent sum 5\n"), 2u) << outcome.output;
    EXPECT_EQ(count(outcome.output, "child sum 5\n"), 3u) << outcome.output;
  }
}

TEST_F(OpenMpi, EachRankKnowsItsProgram) {
  Wish made = wish({2, 1}, "apps");
  made.apps = {1, 2};
  World world(made);
  const Outcome outcome = world.run();
  expect_success(outcome, 3);
  for (const char* line :
       {"rank 0 is of app 0\n", "rank 1 is of app 1\n", "rank 2 is of app 1\n"}) {
    EXPECT_EQ(count(outcome.output, line), 1u) << outcome.output;
  }
}

TEST_F(OpenMpi, NamesAreSharedByNodes) {
  World world(wish({1, 1}, "names"));
  const Outcome outcome = world.run();
  expect_success(outcome, 2);
  EXPECT_EQ(count(outcome.output, "rank 0 got 1\n"), 1u) << outcome.output;
  EXPECT_EQ(count(outcome.output, "rank 1 got 0\n"), 1u) << outcome.output;
}

// ---- strangers ----------------------------------------------------------------------------------

process::UniqueFd call(std::uint16_t port) {
  process::UniqueFd made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  if (::connect(made.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) made.reset();
  return made;
}

std::string greeting(std::uint32_t length) {
  std::string bytes(16 + std::min<std::size_t>(length, 4096), '\x7f');
  std::memcpy(bytes.data() + 8, &length, sizeof length);
  return bytes;
}

// Whoever waits with a connection, says nonsense or half a sentence: the world forms all the same.
TEST_F(OpenMpi, BadClientsDisturbNobody) {
  World world(wish({2}, "hello"));
  const auto silent = call(world.port(0));
  const auto half = call(world.port(0));
  const auto nonsense = call(world.port(0));
  const auto huge = call(world.port(0));
  ASSERT_TRUE(silent && half && nonsense && huge);
  const std::string sentence = greeting(1000), too_long = greeting(1u << 30);
  ASSERT_GT(::send(half.get(), sentence.data(), 100, 0), 0);
  ASSERT_GT(::send(nonsense.get(), sentence.data(), sentence.size(), 0), 0);
  ASSERT_GT(::send(huge.get(), too_long.data(), too_long.size(), 0), 0);
  expect_success(world.run(), 2);
}

// As another user: connects, sends a greeting, and reports by its exit code how that ended.
int stranger(std::uint16_t port) {
  if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 2;
  const auto socket = call(port);
  if (!socket) return 3;
  const std::string sentence = greeting(1000);
  (void)::send(socket.get(), sentence.data(), sentence.size(), MSG_NOSIGNAL);
  char byte = 0;
  const ssize_t got = ::recv(socket.get(), &byte, 1, 0);  // waits until it is thrown out
  return got == 0 || (got < 0 && errno == ECONNRESET) ? 0 : 4;
}

TEST_F(OpenMpi, AnotherUserIsThrownOut) {
  if (::geteuid() != 0) {
    std::cerr << "\n*** NOT ROOT: NO OTHER USER TRIED TO CONNECT ***\n\n";
    GTEST_SKIP() << "cannot become another user";
  }
  Wish made = wish({2}, "hello");
  World world(made);
  const pid_t child = ::fork();
  if (child == 0) std::_Exit(stranger(world.port(0)));
  expect_success(world.run(), 2);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

}  // namespace
}  // namespace muster::pmix::test
