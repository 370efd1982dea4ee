// What people are told of a run's events, and what its record keeps of them.
#include "view/run_event_words.hpp"

#include <csignal>
#include <gtest/gtest.h>

#include "view/record_json.hpp"

namespace muster::view::run_event_test {
namespace {

using model::RunEvent;

constexpr std::string_view kTime = R"({"time":"1970-01-01T00:00:00.000Z","event":)";

std::string recorded(const RunEvent& event) {
  std::string line = told_line({}, event);
  if (line.empty()) return line;
  EXPECT_TRUE(line.starts_with(kTime)) << line;
  return line.substr(kTime.size());
}

TEST(RunEventWords, OfStartsAndEndsAreLeftToTheReport) {
  for (const RunEvent& event :
       {RunEvent(model::RankStarted{}), RunEvent(model::RankEnded{}), RunEvent(model::HostJoined{}),
        RunEvent(model::PhaseReached{}), RunEvent(model::RunEnded{})}) {
    EXPECT_EQ(words(event), "");
    EXPECT_EQ(recorded(event), "") << "their lines have more keys";
  }
}

TEST(RunEventWords, OfNetworksAreToldAndNotRecorded) {
  const RunEvent chosen = model::NetworkChosen{"n1", "eth0", "10.0.0.1", "as ssh", true};
  EXPECT_EQ(words(chosen), "n1: ranks talk over eth0 at 10.0.0.1: as ssh; RDMA is left to MPI");
  EXPECT_EQ(words(model::NetworkChosen{"n1", "", "10.0.0.1", "as ssh", false}),
            "n1: ranks talk over any interface at 10.0.0.1: as ssh");
  EXPECT_EQ(words(model::MeetingPointChosen{"10.0.0.1", "2000"}),
            "MASTER_ADDR=10.0.0.1 MASTER_PORT=2000");
  EXPECT_EQ(recorded(chosen), "");
}

TEST(RunEventWords, OfALostHostAreRecordedAndLeftToTheReport) {
  const RunEvent lost = model::HostLost{base::NodeIndex(1), "n1: the connection was reset"};
  EXPECT_EQ(words(lost), "");
  EXPECT_EQ(recorded(lost), "\"host_lost\",\"text\":\"n1: the connection was reset\"}\n");
}

TEST(RunEventWords, CountWhatThereIs) {
  EXPECT_EQ(words(model::Interrupted{1}), "ending 1 rank; the same signal again kills it at once");
  EXPECT_EQ(words(model::Interrupted{2}),
            "ending 2 ranks; the same signal again kills them at once");
  EXPECT_EQ(words(model::TracesMissing{1}), "1 rank did not say in time what it was doing");
  EXPECT_EQ(words(model::TimeUp{3, 8}), "time is up; 3 of 8 ranks have ended");
}

TEST(RunEventWords, NameWhoIsWaitedFor) {
  EXPECT_EQ(words(model::RanksAwaited{{"rank 1 on b", "rank 3 on d"}, std::chrono::seconds(10)}),
            "other ranks have waited in MPI_Init for 10 s for rank 1 on b, rank 3 on d; "
            "muster run --init-timeout SECONDS ends such a job");
  EXPECT_EQ(words(model::RanksAwaited{
                {"rank 1 on b"}, std::chrono::seconds(70), model::Joining::horovod}),
            "other ranks have waited in hvd.init() for 70 s for rank 1 on b; "
            "muster horovodrun --init-timeout SECONDS ends such a job");
}

TEST(RunEventWords, TellWhyASpawnIsRefused) {
  EXPECT_EQ(words(model::SpawnRefused{"rank 2", {base::Fault::no_slots, "no room", "more", {}}}),
            "MPI_Comm_spawn by rank 2 failed: no room (more)");
  const std::string name(100'000, 'x');
  const model::SpawnRefused odd{"rank 2", {base::Fault::cannot_start, name + "\n", name, {}}};
  EXPECT_LT(words(odd).size(), 2 * kMessageMax + 50);
}

TEST(RunEventWords, AreRecordedAsTheyAreTold) {
  const RunEvent notice = model::NoticeGiven{SIGUSR1, std::chrono::milliseconds(1500)};
  EXPECT_EQ(words(notice), "time is up in 1.5 s: all ranks get signal 10 (SIGUSR1)");
  EXPECT_EQ(recorded(notice),
            "\"notice\",\"text\":\"time is up in 1.5 s: all ranks get signal 10 (SIGUSR1)\"}\n");
  const RunEvent restart = model::RoundBegun{1, 3, "rank 0 on a exited with code 7"};
  EXPECT_EQ(recorded(restart),
            "\"restart\",\"text\":\"rank 0 on a exited with code 7; restart 1 of 3\"}\n");
}

// A rank's stack may hold anything.
TEST(RunEventWords, OfTracesAreMadePrintable) {
  const RunEvent traced = model::RankTraced{"rank 0 on a, pid 7", "sleeping", "f()\n\x1b[2Jg()\n"};
  EXPECT_EQ(words(traced).find('\x1b'), std::string::npos);
  EXPECT_TRUE(words(traced).starts_with("rank 0 on a, pid 7: sleeping\n    f()\n"))
      << words(traced);
}

}  // namespace
}  // namespace muster::view::run_event_test
