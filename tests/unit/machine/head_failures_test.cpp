// The head's rules for failures: who waits in MPI_Init for whom, and what others outlive.
#include <csignal>

#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine {
namespace {

using base::Rank;
using model::ExitStyle;
using model::OnFailure;
using std::chrono::seconds;

constexpr base::Fault kTimeout = base::Fault::timeout;

wire::Attendance came(std::initializer_list<std::uint32_t> numbers) {
  wire::Attendance message;
  for (const std::uint32_t number : numbers) message.ranks.emplace_back(number);
  return message;
}

// ---- MPI_Init -----------------------------------------------------------------------------------

TEST_F(HeadFixture, RanksThatNeverCallMpiInitAreNamedAfterTheLimit) {
  spec_.init_timeout = seconds(2);
  make({model::kOpened, model::kOpened}, 2);
  run_all();
  EXPECT_EQ(deadline(), 2000) << "the first heartbeat";
  at(500, Heard{kA, came({0})});
  hear(kB, came({2}));
  EXPECT_EQ(at(2499, HeadTick{}), (Words{"a Ping", "b Ping"}));
  EXPECT_EQ(deadline(), 2500);
  EXPECT_EQ(at(2500, HeadTick{}), (Words{"a Stop 15", "b Stop 15"}));
  hear(kA, came({1}));
  const model::RunReport report = machine_->report();
  EXPECT_EQ(report.error.fault, kTimeout);
  EXPECT_EQ(report.missing, std::vector{Rank(3)}) << "1 had come, which was told with the end";
}

TEST_F(HeadFixture, RanksWhoseLibrariesDoNotUnderstandEachOtherAreEnded) {
  make({model::kLocal, model::kLocal}, 2);
  run_all();
  wire::Attendance message = came({0});
  message.library = "MPICH 4.0.2";
  at(500, Heard{kA, message});
  message = came({2});
  message.library = "MPICH 4.2.1";
  EXPECT_EQ(at(510, Heard{kB, message}), (Words{"a Stop 15", "b Stop 15"}));
  const model::RunReport report = machine_->report();
  EXPECT_EQ(report.error.fault, base::Fault::cannot_start);
  EXPECT_EQ(report.error.what,
            "rank 0 on a has MPICH 4.0.2 and rank 2 on b has MPICH 4.2.1: they cannot reach each "
            "other");
}

TEST_F(HeadFixture, RanksWithReleasesOfOneSeriesRun) {
  make({model::kLocal, model::kLocal}, 2);
  run_all();
  wire::Attendance message = came({0});
  message.library = "Open MPI 5.0.7";
  at(500, Heard{kA, message});
  message = came({2});
  EXPECT_EQ(at(505, Heard{kB, message}), Words{}) << "it is not known there";
  message = came({3});
  message.library = "Open MPI 5.0.11";
  EXPECT_EQ(at(510, Heard{kB, message}), Words{});
}

TEST_F(HeadFixture, WhoKeepsOthersWaitingIsNamedAgainAndAgain) {
  make({model::kLocal, model::kLocal}, 2);
  run_all();
  at(500, Heard{kA, came({0})});
  EXPECT_EQ(deadline(), 9500);
  EXPECT_EQ(at(9500, HeadTick{}), (Words{"a Ping", "b Ping"}));
  hear(kA, came({1}));
  EXPECT_EQ(at(10'500, HeadTick{}),
            Words{"say other ranks have waited in MPI_Init for 10 s for rank 2 on b, rank 3 on b; "
                  "muster run --init-timeout SECONDS ends such a job"});
  EXPECT_EQ(deadline(), 69'500);
  at(69'500, HeadTick{});
  hear(kB, came({2}));
  EXPECT_EQ(at(70'500, HeadTick{}),
            Words{"say other ranks have waited in MPI_Init for 70 s for rank 3 on b; "
                  "muster run --init-timeout SECONDS ends such a job"});
  hear(kB, came({3}));
  EXPECT_EQ(deadline(), -1);
}

TEST_F(HeadFixture, NoLimitHoldsForAWorldThatIsComplete) {
  spec_.init_timeout = seconds(1);
  make({model::kOpened}, 2);
  run_all();
  hear(kA, came({1}));
  hear(kA, came({0}));
  EXPECT_EQ(deadline(), 2000) << "the heartbeat";
}

TEST_F(HeadFixture, AnInterruptTellsWhoKeptOthersWaiting) {
  make({model::kOpened, model::kOpened}, 2);
  run_all();
  hear(kA, came({0}));
  now(UserSignal{SIGINT});
  hear(kA, exited(0, 0, SIGINT));
  const model::RunReport report = machine_->report();
  EXPECT_EQ(report.missing, (std::vector{Rank(1), Rank(2), Rank(3)}));
  EXPECT_EQ(report.missing_total, 3u);
}

TEST_F(HeadFixture, AnInterruptOfAnotherProgramNamesNobody) {
  make({model::kOpened}, 2);
  run_all();
  now(UserSignal{SIGINT});
  EXPECT_EQ(machine_->report().missing_total, 0u);
}

TEST_F(HeadFixture, AFailureTellsWhoIsMissingOnlyAfterALongWait) {
  for (const int wait : {100, 1000}) {
    make({model::kOpened}, 3);
    run_all();
    at(500, Heard{kA, came({0})});
    at(500 + wait, Heard{kA, exited(1, 3)});
    EXPECT_EQ(cause(), "rank 1 on a");
    EXPECT_EQ(machine_->report().missing_total, wait == 1000 ? 1u : 0u);
  }
}

TEST_F(HeadFixture, ARankThatLeavesOthersInMpiInitFails) {
  make({model::kOpened, model::kOpened});
  run_all();
  EXPECT_EQ(hear(kB, exited(1, 0)), Words{});
  EXPECT_EQ(hear(kA, came({0})), (Words{"a Stop 15", "b Stop 15"}));
  EXPECT_EQ(cause(), "rank 1 on b");
  EXPECT_EQ(exit_code(), 1);
  EXPECT_EQ(machine_->report().abort_message,
            "it ended without calling MPI_Init while other ranks waited for it");
}

TEST_F(HeadFixture, NobodyIsMissedOnALostHost) {
  make({model::kOpened, model::kOpened}, 2);
  run_all();
  hear(kA, came({0}));
  now(LinkLost{kB, lost("b: gone")});
  EXPECT_EQ(machine_->report().missing, std::vector{Rank(1)});
}

TEST_F(HeadFixture, AnAgentMayOnlySpeakOfItsOwnRanks) {
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kB, came({1, 0}));
  EXPECT_EQ(cause(), "b: its agent sent a message about a rank of another host");
}

// Else another round would begin while ranks count as running.
TEST_F(HeadFixture, AnAgentTellsNothingOfRanksThatWereNotStarted) {
  spec_.max_restarts = 1;
  for (const wire::ToHead& message :
       {wire::ToHead{exited(0, 3)}, wire::ToHead{wire::Started{Rank(0), 9}},
        wire::ToHead{wire::Aborted{Rank(0), 3, {}}}, wire::ToHead{wire::Attendance{{Rank(0)}}}}) {
    make({model::kOpened, model::kOpened});
    start();
    now(LinkUp{kA});
    now(LinkUp{kB});
    hear(kA, wire::Welcome{});
    hear(kA, message);
    EXPECT_EQ(cause(), "a: its agent sent a message about a rank that it was not told to start");
    EXPECT_EQ(exit_code(), 245);
  }
}

// ---- what others outlive ------------------------------------------------------------------------

TEST_F(HeadFixture, OthersGoOnWhereTheyMay) {
  spec_.failure.others = OnFailure::outlive_all;
  make({model::kOpened}, 4);
  run_all();
  EXPECT_EQ(hear(kA, exited(2, 3)), Words{});
  EXPECT_EQ(hear(kA, exited(0, 0, SIGSEGV)), Words{});
  EXPECT_EQ(hear(kA, exited(1, 5)), Words{});
  EXPECT_EQ(hear(kA, exited(3, 0)), Words{});
  EXPECT_EQ(hear(kA, wire::Stopped{}), Words{"a Bye"});
  const model::RunReport report = machine_->report();
  EXPECT_EQ(cause(), "rank 2 on a") << "the first";
  EXPECT_EQ(report.others.size(), 2u);
  EXPECT_EQ(exit_code(), 128 + SIGSEGV) << "the worst";
  EXPECT_EQ(report.ended, 0u);
}

TEST_F(HeadFixture, ASignalEndsThoseThatOutliveCodesAlone) {
  spec_.failure.others = OnFailure::outlive_codes;
  make({model::kOpened}, 3);
  run_all();
  EXPECT_EQ(hear(kA, exited(0, 2)), Words{});
  EXPECT_EQ(hear(kA, exited(1, 0, SIGKILL)), Words{"a Stop 15"});
}

TEST_F(HeadFixture, HydraJoinsAllCodes) {
  spec_.failure = {OnFailure::outlive_codes, ExitStyle::hydra, false};
  make({model::kOpened}, 3);
  run_all();
  hear(kA, exited(0, 4));
  hear(kA, exited(1, 2));
  EXPECT_EQ(exit_code(), 6);
  hear(kA, exited(2, 0, SIGKILL));
  EXPECT_EQ(exit_code(), 6 | SIGKILL);
}

TEST_F(HeadFixture, LeavingWithoutFinalizeIsAFailureOnlyWhereItIsNeeded) {
  for (const bool needed : {true, false}) {
    spec_.failure.needs_finalize = needed;
    make({model::kOpened}, 2);
    run_all();
    hear(kA, exited(0, 0));
    const Words ends = needed ? Words{"a Stop 15"} : Words{};
    EXPECT_EQ(hear(kA, wire::Aborted{Rank(0), 1, "it ended without MPI_Finalize"}), ends);
  }
}

TEST_F(HeadFixture, AnAbortEndsEvenThoseThatOutliveAll) {
  spec_.failure.others = OnFailure::outlive_all;
  make({model::kOpened}, 3);
  run_all();
  hear(kA, exited(0, 9));
  EXPECT_EQ(hear(kA, wire::Aborted{Rank(1), 7, "no data"}), Words{"a Stop 15"});
  EXPECT_EQ(cause(), "rank 1 on a");
  EXPECT_EQ(machine_->report().others.size(), 1u);
}

// ---- rounds -------------------------------------------------------------------------------------

TEST_F(HeadFixture, AFailedRoundIsFollowedByAnother) {
  spec_.max_restarts = 1;
  make({model::kOpened, model::kLocal});
  run_all();
  EXPECT_EQ(hear(kB, exited(1, 3)), (Words{"a Stop 15", "b Stop 15"}));
  hear(kA, exited(0, 0, SIGTERM));
  EXPECT_EQ(hear(kA, wire::Stopped{}), Words{});
  EXPECT_EQ(hear(kB, wire::Stopped{}),
            (Words{"say rank 1 on b exited with code 3 (pid 0); restart 1 of 1", "new round",
                   "a Hello", "b Hello"}));
  EXPECT_EQ(hear(kA, wire::Welcome{}), Words{});
  EXPECT_EQ(hear(kB, wire::Welcome{}), (Words{"a Prepare 1", "b Prepare 1"}));
  hear(kA, wire::Prepared{});
  EXPECT_EQ(hear(kB, wire::Prepared{}), (Words{"a Start", "b Start"}));
  for (const std::uint32_t rank : {0u, 1u}) {
    hear(base::NodeIndex(rank), wire::Started{Rank(rank), 200});
    hear(base::NodeIndex(rank), exited(rank, 0));
  }
  hear(kA, wire::Stopped{});
  EXPECT_EQ(hear(kB, wire::Stopped{}), (Words{"a Bye", "b Bye"}));
  EXPECT_EQ(exit_code(), 0);
  EXPECT_EQ(machine_->report().rounds.size(), 1u);
}

TEST_F(HeadFixture, TheLastRoundsFailureIsTheJobs) {
  spec_.max_restarts = 1;
  make({model::kLocal});
  run_all();
  for (const int code : {3, 4}) {
    hear(kA, exited(0, code));
    hear(kA, wire::Stopped{});
    if (code == 4) break;
    hear(kA, wire::Welcome{});
    hear(kA, wire::Prepared{});
    hear(kA, wire::Started{Rank(0), 200});
  }
  EXPECT_EQ(exit_code(), 4);
}

TEST_F(HeadFixture, NothingIsStartedAgainAfterAnInterrupt) {
  spec_.max_restarts = 5;
  make({model::kLocal}, 2);
  run_all();
  hear(kA, exited(0, 3));
  now(UserSignal{SIGINT});
  hear(kA, exited(1, 0, SIGTERM));
  EXPECT_EQ(hear(kA, wire::Stopped{}), (Words{"a Bye", "finish"}));
}

// One that is cut off has no link by which another round could greet it.
TEST_F(HeadFixture, NothingIsStartedAgainWhereAnAgentTalkedNonsenseAfterItsRanks) {
  spec_.max_restarts = 5;
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, exited(0, 3));
  hear(kA, wire::Stopped{});
  EXPECT_EQ(hear(kA, wire::Aborted{Rank(1), 4, {}}), Words{"close a"});
  hear(kB, exited(1, 0, SIGTERM));
  EXPECT_EQ(hear(kB, wire::Stopped{}), Words{"b Bye"});
  EXPECT_EQ(exit_code(), 3);
}

TEST_F(HeadFixture, NothingIsStartedAgainWithoutAHost) {
  spec_.max_restarts = 5;
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, exited(0, 3));
  hear(kA, wire::Stopped{});
  now(LinkLost{kB, lost("b: gone")});
  const auto& warnings = machine_->report().warnings;
  EXPECT_EQ(warnings.back(), "no restart: ranks cannot be restarted on a lost host");
  EXPECT_EQ(exit_code(), 3);
}

TEST_F(HeadFixture, AHostThatHasStoppedIsKeptForAnotherRound) {
  spec_.max_restarts = 1;
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, exited(0, 3));
  hear(kA, wire::Stopped{});
  EXPECT_EQ(at(2000, HeadTick{}), (Words{"a Ping", "b Ping"}));
}

// ---- which was first ----------------------------------------------------------------------------

// Two hosts whose clocks go as ours does, as far as a Ping of 1 ms tells; rank 1 is heard of first.
class TwoDeaths : public HeadFixture {
 protected:
  void SetUp() override {
    make({model::kOpened, model::kOpened}, 1);
    run_all();
    at(2000, HeadTick{});
    for (const auto node : {kA, kB}) at(2001, Heard{node, wire::Pong{clock(2000)}});
  }
  static std::uint64_t clock(std::int64_t after) {
    return static_cast<std::uint64_t>(100'000 + after) * 1000;
  }
  // Milliseconds after the start.
  void die(std::int64_t first, std::int64_t second, int signal = 0) {
    wire::Exited heard_first = exited(1, 3);
    heard_first.at_us = clock(first);
    heard_first.error_file = "of 1";
    at(2100, Heard{kB, heard_first});
    wire::Exited heard_second = exited(0, signal == 0 ? 4 : 0, signal);
    heard_second.at_us = clock(second);
    heard_second.error_file = "of 0";
    at(2110, Heard{kA, heard_second});
  }
};

TEST_F(TwoDeaths, TheEarlierOneIsTheCauseThoughItIsHeardLater) {
  die(2090, 2080);
  const model::RunReport report = machine_->report();
  EXPECT_EQ(cause(), "rank 0 on a");
  EXPECT_EQ(report.error_file, "of 0");
  EXPECT_TRUE(report.together.empty());
  ASSERT_EQ(report.others.size(), 1u);
  EXPECT_EQ(report.others[0].rank, Rank(1));
  EXPECT_EQ(report.others_total, 1u);
}

// Python closes its connections, which its peer dies of, and takes a while to end.
TEST_F(TwoDeaths, WhoSaidWhyFirstIsTheCauseThoughOurSignalEndedIt) {
  wire::Exited peer = exited(1, 1);
  peer.at_us = clock(2090);
  peer.told_us = clock(2080);
  peer.error_file = "of 1";
  at(2100, Heard{kB, peer});
  EXPECT_EQ(cause(), "rank 1 on b");
  wire::Exited it = exited(0, 0, SIGTERM);
  it.at_us = clock(2105);
  it.told_us = clock(2050);
  it.error_file = "of 0";
  at(2110, Heard{kA, it});
  const model::RunReport report = machine_->report();
  EXPECT_EQ(cause(), "rank 0 on a");
  EXPECT_EQ(report.error_file, "of 0");
  EXPECT_EQ(report.exit_code(), 1) << "as it would have ended";
  ASSERT_EQ(report.others.size(), 1u);
  EXPECT_EQ(report.others[0].rank, Rank(1));
}

// As Open MPI does it when a peer's connection closes.
TEST_F(TwoDeaths, AnAbortThatFollowsFromADeathIsNotTheCause) {
  at(2100, Heard{kB, wire::Aborted{Rank(1), 14, "closed"}});
  EXPECT_EQ(cause(), "rank 1 on b");
  wire::Exited killed = exited(0, 0, SIGKILL);
  killed.at_us = clock(2103);
  at(2110, Heard{kA, killed});
  at(2111, Heard{kB, exited(1, 0, SIGTERM)});
  const model::RunReport report = machine_->report();
  EXPECT_EQ(cause(), "rank 0 on a");
  EXPECT_FALSE(report.aborted);
  EXPECT_EQ(report.abort_message, "");
  EXPECT_EQ(report.exit_code(), 128 + SIGKILL);
  EXPECT_EQ(report.ended, 1u);
}

TEST_F(TwoDeaths, NorIsOneThatFollowsFromAnException) {
  at(2100, Heard{kB, wire::Aborted{Rank(1), 14, "closed"}});
  wire::Exited it = exited(0, 0, SIGTERM);
  it.at_us = clock(2105);
  it.told_us = clock(2080);
  it.error_file = "of 0";
  at(2110, Heard{kA, it});
  EXPECT_EQ(cause(), "rank 0 on a");
  EXPECT_EQ(machine_->report().error_file, "of 0");
  EXPECT_EQ(machine_->report().exit_code(), 1);
}

TEST_F(TwoDeaths, AnAbortIsTheCauseOfWhatFollowsIt) {
  at(2100, Heard{kB, wire::Aborted{Rank(1), 7, "no data"}});
  wire::Exited peer = exited(0, 14);
  peer.at_us = clock(2105);
  at(2110, Heard{kA, peer});
  EXPECT_EQ(cause(), "rank 1 on b");
  EXPECT_TRUE(machine_->report().aborted);
  EXPECT_EQ(machine_->report().exit_code(), 7);
}

TEST_F(TwoDeaths, AfterAnAbortWeKillWhoDoesNotEndInTime) {
  at(2100, Heard{kB, wire::Aborted{Rank(1), 7, "no data"}});
  wire::Exited deaf = exited(0, 0, SIGKILL);
  deaf.at_us = clock(2101) + static_cast<std::uint64_t>(spec_.grace.count()) * 1000;
  at(2102 + static_cast<int>(spec_.grace.count()), Heard{kA, deaf});
  EXPECT_EQ(cause(), "rank 1 on b");
  EXPECT_EQ(machine_->report().ended, 1u);
}

TEST_F(TwoDeaths, WhoSaidWhyAfterTheStopWasEndedByIt) {
  at(2100, Heard{kB, exited(1, 3)});
  wire::Exited it = exited(0, 0, SIGTERM);
  it.at_us = clock(2110);
  it.told_us = clock(2105);
  at(2120, Heard{kA, it});
  EXPECT_EQ(cause(), "rank 1 on b");
  EXPECT_EQ(machine_->report().ended, 1u);
}

TEST_F(TwoDeaths, ThoseCloserThanTheClocksTellAreNamedTogether) {
  for (const auto& [first, second] : {std::pair{2090, 2089}, std::pair{2089, 2090}}) {
    SetUp();
    die(first, second);
    const model::RunReport report = machine_->report();
    EXPECT_EQ(cause(), "rank 0 on a") << "its code is the higher one";
    ASSERT_EQ(report.together.size(), 1u);
    EXPECT_EQ(report.together[0].exit.rank, Rank(1));
    EXPECT_EQ(report.together[0].host, "b");
    EXPECT_LT(report.together_within, std::chrono::milliseconds(6));
    EXPECT_EQ(report.exit_code(), 4);
    EXPECT_EQ(report.others_total, 0u);
    EXPECT_EQ(report.ended, 0u);
  }
}

// What it has started it ends before we tell it to.
TEST_F(TwoDeaths, WhatAnAgentEndsThatCannotStartAllIsNotNamed) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    SetUp();
    at(2100, Heard{kB, wire::Aborted{Rank(1), 7, "no data"}});
    at(2101, Heard{kA, wire::Refused{{base::Fault::cannot_start, "no such program", {}, {}}}});
    wire::Exited other = exited(0, 0, signal);
    other.at_us = clock(2080);
    at(2110, Heard{kA, other});
    EXPECT_EQ(cause(), "rank 1 on b");
    EXPECT_TRUE(machine_->report().aborted);
    EXPECT_EQ(machine_->report().ended, 1u);
  }
}

TEST_F(TwoDeaths, WhoFailsThereByItselfIsNamed) {
  wire::Exited first = exited(1, 3);
  first.at_us = clock(2090);
  at(2100, Heard{kB, first});
  at(2101, Heard{kA, wire::Refused{{base::Fault::cannot_start, "no such program", {}, {}}}});
  wire::Exited other = exited(0, 4);
  other.at_us = clock(2080);
  at(2110, Heard{kA, other});
  EXPECT_EQ(cause(), "rank 0 on a");
}

TEST_F(TwoDeaths, WhatEndedBeforeAnyStopWasSentIsNoWorkOfOurs) {
  die(2090, 2080, SIGKILL);
  EXPECT_EQ(cause(), "rank 0 on a");
  EXPECT_EQ(machine_->report().ended, 0u);
}

TEST_F(TwoDeaths, WhatEndedByOurSignalAfterwardsIsNotNamed) {
  die(2090, 2105, SIGTERM);
  EXPECT_EQ(cause(), "rank 1 on b");
  EXPECT_TRUE(machine_->report().together.empty());
  EXPECT_EQ(machine_->report().ended, 1u);
}

}  // namespace
}  // namespace muster::machine
