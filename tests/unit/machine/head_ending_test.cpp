// HeadMachine on its way down: the first failure, the ladder, lost hosts, signals, limits.
#include <algorithm>
#include <csignal>

#include "machine/told_to_end.hpp"
#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine {
namespace {

TEST_F(HeadFixture, AGoodRunEndsWithByeAndZero) {
  make({model::kLocal, model::kOpened});
  run_all();
  EXPECT_EQ(hear(kA, exited(0, 0)), Words{});
  EXPECT_EQ(hear(kA, wire::Stopped{}), Words{});
  EXPECT_EQ(hear(kB, exited(1, 0)), Words{});
  EXPECT_EQ(hear(kB, wire::Stopped{}), (Words{"a Bye", "b Bye"}));
  EXPECT_EQ(now(LinkLost{kB, lost("ended")}), Words{"finish"});
  EXPECT_TRUE(machine_->finished());
  EXPECT_EQ(cause(), "completed");
  EXPECT_EQ(exit_code(), 0);
  EXPECT_EQ(deadline(), -1);
}

TEST_F(HeadFixture, WhoeverEndsARunWhenItsAllocationIsOverDoesSoForThat) {
  make({model::kOpened, model::kOpened});
  run_all();
  EXPECT_EQ(now(AllocationEnds{1'000'000, std::chrono::milliseconds(200)}), Words{});
  at(300, UserSignal{SIGTERM});
  EXPECT_EQ(machine_->report().cause, model::Cause::fault);
  EXPECT_EQ(machine_->report().error.fault, base::Fault::timeout);
}

TEST_F(HeadFixture, WhoeverEndsARunBeforeThatHasOtherReasons) {
  make({model::kOpened, model::kOpened});
  run_all();
  now(AllocationEnds{1'000'000, std::chrono::hours(1)});
  at(300, UserSignal{SIGTERM});
  EXPECT_EQ(machine_->report().cause, model::Cause::interrupted);
}

// A batch system ends the processes of a job one after the other.
class InABatchJob : public HeadFixture {
 protected:
  void all_ranks_are_terminated() {
    spec_.source = model::kHostsAllocated;
    make({model::kOpened, model::kOpened});
    run_all();
    for (const auto node : {kA, kB}) {
      hear(node, exited(node.value, 0, SIGTERM));
      EXPECT_EQ(hear(node, wire::Stopped{}), Words{});
    }
    EXPECT_FALSE(machine_->finished());
  }
};

TEST_F(InABatchJob, TheSignalThatEndedAllRanksMayReachUsLast) {
  all_ranks_are_terminated();
  EXPECT_EQ(at(300, UserSignal{SIGTERM}), (Words{"a Bye", "b Bye"}));
  EXPECT_EQ(machine_->report().cause, model::Cause::interrupted);
}

TEST_F(InABatchJob, RanksWereTheCauseWhereNoSignalComes) {
  all_ranks_are_terminated();
  const auto until = static_cast<int>(deadline());
  EXPECT_EQ(until, 1000);
  EXPECT_EQ(at(until, HeadTick{}), (Words{"a Bye", "b Bye"}));
  EXPECT_EQ(cause(), "rank 0 on a");
}

TEST_F(InABatchJob, OtherEndsAreToldAtOnce) {
  spec_.source = model::kHostsAllocated;
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, exited(0, 1));
  hear(kA, wire::Stopped{});
  hear(kB, exited(1, 0, SIGTERM));
  EXPECT_EQ(hear(kB, wire::Stopped{}), (Words{"a Bye", "b Bye"}));
}

TEST_F(HeadFixture, TheFirstFailureIsTheCauseAndFollowersNeverReplaceIt) {
  make({model::kOpened, model::kOpened}, 2);
  run_all();
  EXPECT_EQ(now(Printed{kA, base::Rank(1), "Traceback\n"}), Words{});
  EXPECT_EQ(hear(kA, exited(1, 7)), (Words{"a Stop 15", "b Stop 15"}));
  EXPECT_EQ(hear(kB, exited(2, 9)), Words{});
  EXPECT_EQ(now(LinkLost{kB, lost("b: reset")}), Words{});
  EXPECT_EQ(hear(kA, wire::Refused{lost("guard")}), Words{});
  EXPECT_EQ(hear(kA, exited(0, 0, SIGTERM)), Words{});
  EXPECT_EQ(hear(kA, wire::Stopped{}), Words{"a Bye"});
  EXPECT_EQ(cause(), "rank 1 on a");
  EXPECT_EQ(exit_code(), 7);
  const model::RunReport report = machine_->report();
  EXPECT_EQ(report.tail, Words{"Traceback"});
  EXPECT_EQ(report.others_total, 1u);
  EXPECT_EQ(report.ended, 1u);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0], "b: reset; its ranks end by themselves");
}

TEST_F(HeadFixture, TheLossOfTheOnlyHostFinishesOnce) {
  make({model::kOpened});
  run_all();
  EXPECT_EQ(now(LinkLost{kA, lost("a: reset")}), Words{"finish"});
  EXPECT_EQ(exit_code(), 245);
}

TEST_F(HeadFixture, ALinkMayGoOnceItsAgentHasStopped) {
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, exited(0, 0));
  hear(kA, wire::Stopped{});
  EXPECT_EQ(now(LinkLost{kA, lost("a: idle")}), Words{});
  hear(kB, exited(1, 0));
  hear(kB, wire::Stopped{});
  now(LinkLost{kB, lost("ended")});
  EXPECT_EQ(cause(), "completed");
}

TEST_F(HeadFixture, AnAgentThatStopsWithoutTellingOfItsRanksIsAFault) {
  make({model::kOpened, model::kOpened});
  run_all();
  EXPECT_EQ(hear(kA, wire::Stopped{}), Words{"b Stop 15"});
  EXPECT_EQ(cause(), "a: its agent did not report how all its ranks ended");
  EXPECT_EQ(exit_code(), 245);
}

TEST_F(HeadFixture, NonsenseFromOneHostLosesThatHostOnly) {
  make({model::kOpened, model::kOpened});
  run_all();
  EXPECT_EQ(hear(kA, exited(4'000'000'000u, 0)), (Words{"close a", "b Stop 15"}));
  EXPECT_EQ(cause(), "a: its agent sent a message about a rank of another host");
}

TEST_F(HeadFixture, AHostMayNotSpeakForAnothersRank) {
  make({model::kOpened, model::kOpened});
  run_all();
  EXPECT_EQ(hear(kA, wire::InputCredit{base::Rank(1), 5}), (Words{"close a", "b Stop 15"}));
}

TEST_F(HeadFixture, ARankExitsOnce) {
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, exited(0, 0));
  EXPECT_EQ(hear(kA, exited(0, 3)), Words{});
  EXPECT_EQ(cause(), "completed");
}

TEST_F(HeadFixture, CtrlCTwiceHastensAndAThirdTimeChangesNothing) {
  spec_.grace = std::chrono::seconds(5);
  make({model::kLocal});
  run_all();
  const Words said = at(1000, UserSignal{SIGINT});
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[1], "a Stop 2");
  EXPECT_EQ(deadline(), 1000 + 5000 + 12'000);
  EXPECT_EQ(at(2000, UserSignal{SIGINT}), Words{"a Stop 0"});
  EXPECT_EQ(deadline(), 2000 + 7000);
  EXPECT_EQ(at(3000, UserSignal{SIGINT}), Words{});
  EXPECT_EQ(deadline(), 2000 + 7000) << "impatience must not make it last longer";
  EXPECT_EQ(exit_code(), 130);
}

TEST_F(HeadFixture, ASignalForTheWholeJobExplainsTheDeathsBeforeIt) {
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, exited(0, 0, SIGTERM));
  EXPECT_EQ(exit_code(), 143);
  at(300, UserSignal{SIGTERM});
  EXPECT_EQ(machine_->report().cause, model::Cause::interrupted);
  hear(kB, exited(1, 0, SIGTERM));
  EXPECT_EQ(machine_->report().cause, model::Cause::interrupted);
}

TEST_F(HeadFixture, ASignalForTheWholeJobExplainsHostsThatHaveGone) {
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, wire::Refused{lost(std::string(kToldToEnd) + " (SIGTERM)")});
  at(300, UserSignal{SIGTERM});
  EXPECT_EQ(machine_->report().cause, model::Cause::interrupted);
}

TEST_F(HeadFixture, ASignalExplainsNoHostThatIsLostOtherwise) {
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, wire::Refused{lost("its guard was killed")});
  at(300, UserSignal{SIGTERM});
  EXPECT_EQ(cause(), "a: its guard was killed");
}

TEST_F(HeadFixture, ASignalExplainsNoOtherFailureAndNoneLongBefore) {
  for (const auto& [death, time] : {std::pair{exited(0, 7), 300}, {exited(0, 0, SIGTERM), 3500}}) {
    make({model::kOpened, model::kOpened});
    run_all();
    hear(kA, death);
    at(time, UserSignal{SIGTERM});
    EXPECT_EQ(cause(), "rank 0 on a");
  }
}

TEST_F(HeadFixture, AnAgentThatDoesNotEndItsRanksIsGivenUp) {
  spec_.grace = std::chrono::seconds(2);
  make({model::kLocal});
  run_all();
  at(1000, UserSignal{SIGTERM});
  EXPECT_EQ(at(1000 + 2000 + 12'000, HeadTick{}), Words{"finish"});
  EXPECT_EQ(exit_code(), 143);
  EXPECT_EQ(machine_->report().warnings.size(), 1u);
}

TEST_F(HeadFixture, SilenceLongerThanTheLeaseIsALostHost) {
  make({model::kOpened, model::kOpened});
  run_all();
  Words said;
  for (int time = 2000; time <= 8000; time += 2000) {
    said = at(time, HeadTick{});
    hear(kA, wire::Pong{});
  }
  EXPECT_EQ(said, (Words{"a Ping", "b Ping", "look for b at ''"}));
  EXPECT_EQ(now(HostSeen{kB, false}), (Words{"close b", "a Stop 15"}));
  EXPECT_EQ(cause(), "b: nothing heard for 8 s");
}

// Its kernel answers, while nothing there gets a processor.
TEST_F(HeadFixture, ABusyHostMayBeSilentForLonger) {
  make({model::kOpened, model::kOpened});
  run_all();
  for (int time = 2000; time < 64'000; time += 2000) {
    at(time, HeadTick{});
    hear(kA, wire::Pong{});
    const bool is_first = time == 8000;
    EXPECT_EQ(now(HostSeen{kB, true}),
              is_first ? Words{"say b: nothing heard for 8 s; the host itself answers, so muster "
                               "waits up to 64 s"}
                       : Words{});
  }
  EXPECT_EQ(at(64'000, HeadTick{}), (Words{"a Ping", "b Ping", "look for b at ''"}));
  EXPECT_EQ(now(HostSeen{kB, true}), (Words{"close b", "a Stop 15"}));
  EXPECT_EQ(cause(), "b: nothing heard for 64 s");
}

TEST_F(HeadFixture, WhoSpeaksAgainIsNotBusyAnyMore) {
  make({model::kOpened});
  run_all();
  for (int time = 2000; time <= 8000; time += 2000) at(time, HeadTick{});
  EXPECT_EQ(now(HostSeen{kA, true}).size(), 1u) << "it is told";
  hear(kA, wire::Pong{});
  EXPECT_EQ(now(HostSeen{kA, false}), Words{}) << "an answer that came too late";
  for (int time = 10'000; time <= 16'000; time += 2000) at(time, HeadTick{});
  EXPECT_EQ(now(HostSeen{kA, true}).size(), 1u) << "it is told again";
  EXPECT_EQ(now(HostSeen{kA, false}).front(), "close a") << "its cable was pulled meanwhile";
}

TEST_F(HeadFixture, AHostThatNobodyNeedsIsNotLost) {
  make({model::kOpened});
  run_all();
  for (int time = 2000; time <= 8000; time += 2000) at(time, HeadTick{});
  hear(kA, exited(0, 0));
  hear(kA, wire::Stopped{});
  EXPECT_EQ(now(HostSeen{kA, false}), Words{});
  EXPECT_EQ(cause(), "completed");
}

TEST_F(HeadFixture, OurOwnSleepIsNotTheirSilence) {
  make({model::kOpened});
  run_all();
  EXPECT_EQ(at(60'000, HeadTick{}), Words{"a Ping"});
  EXPECT_EQ(cause(), "completed");
}

TEST_F(HeadFixture, OutputCountsAsALifeSign) {
  make({model::kOpened});
  run_all();
  for (int time = 2000; time <= 20'000; time += 2000) {
    EXPECT_EQ(at(time, Printed{kA, base::Rank(0), {}}), Words{});
    EXPECT_EQ(at(time, HeadTick{}), Words{"a Ping"});
  }
}

TEST_F(HeadFixture, CtrlZStopsRanksTellsAgentsAndSleepsInThatOrder) {
  make({model::kLocal, model::kOpened});
  run_all();
  const std::string stop = fmt::format("Signal {}", SIGSTOP);
  const std::string go_on = fmt::format("Signal {}", SIGCONT);
  EXPECT_EQ(now(UserSignal{SIGTSTP}), (Words{"a " + stop, "b " + stop, "b Suspend", "sleep"}));
  EXPECT_EQ(now(UserSignal{SIGCONT}), (Words{"b Suspend over", "a " + go_on, "b " + go_on}));
}

TEST_F(HeadFixture, CtrlZBeforeTheStartTellsAgentsToo) {
  make({model::kOpened, model::kOpened});
  start();
  now(LinkUp{kA});
  hear(kA, wire::Welcome{});
  EXPECT_EQ(now(UserSignal{SIGTSTP}), (Words{"a Suspend", "sleep"}));
}

TEST_F(HeadFixture, OtherSignalsGoToTheRanks) {
  make({model::kOpened});
  run_all();
  EXPECT_EQ(now(UserSignal{SIGUSR1}), Words{fmt::format("a Signal {}", SIGUSR1)});
  EXPECT_EQ(cause(), "completed");
}

TEST_F(HeadFixture, TheTimeLimitIsAFault) {
  spec_.timeout = std::chrono::seconds(3);
  make({model::kLocal});
  run_all();
  EXPECT_EQ(deadline(), 3000);
  EXPECT_EQ(at(3000, HeadTick{}), Words{"a Stop 15"});
  EXPECT_EQ(exit_code(), 246);
}

TEST_F(HeadFixture, AtTheTimeLimitRanksMayBeAskedWhatTheyDo) {
  spec_.timeout = std::chrono::seconds(3);
  spec_.stacks_at_timeout = true;
  make({model::kLocal, model::kLocal});
  run_all();
  EXPECT_EQ(at(3000, HeadTick{}),
            (Words{"say time is up; 0 of 2 ranks have ended", "a Trace all", "b Trace all"}));
  EXPECT_EQ(deadline(), 33'000);
  const Words first = hear(kA, wire::Traced{base::Rank(0), "sleeping in do_wait", "#0 main ()\n"});
  ASSERT_EQ(first.size(), 1U);
  EXPECT_NE(first[0].find("rank 0 on a, pid "), std::string::npos) << first[0];
  EXPECT_NE(first[0].find(": sleeping in do_wait\n    #0 main ()"), std::string::npos) << first[0];
  const Words last = hear(kB, wire::Traced{base::Rank(1), "running", {}});
  ASSERT_EQ(last.size(), 3U);
  EXPECT_EQ(last[1], "a Stop 15");
  EXPECT_EQ(exit_code(), 246);
}

TEST_F(HeadFixture, RanksThatDoNotTellAreNotWaitedForLong) {
  spec_.timeout = std::chrono::seconds(3);
  spec_.state_at_timeout = true;
  make({model::kLocal});
  run_all();
  EXPECT_EQ(at(3000, HeadTick{}).back(), "a Trace");
  EXPECT_EQ(at(33'000, HeadTick{}),
            (Words{"say 1 rank did not say in time what it was doing", "a Stop 15"}));
  EXPECT_EQ(hear(kA, wire::Traced{base::Rank(0), "late", {}}), Words{});
}

TEST_F(HeadFixture, AJobThatEndsWhileItsRanksAreAskedHasEndedWell) {
  spec_.timeout = std::chrono::seconds(3);
  spec_.state_at_timeout = true;
  make({model::kLocal});
  run_all();
  at(3000, HeadTick{});
  hear(kA, exited(0, 0));
  EXPECT_EQ(hear(kA, wire::Stopped{}), (Words{"a Bye", "finish"}));
  EXPECT_EQ(cause(), "completed");
}

TEST_F(HeadFixture, TheTimeLimitMeansNothingOnceAllHasEndedWell) {
  spec_.timeout = std::chrono::milliseconds(3000);
  make({model::kOpened});
  run_all();
  at(2900, Heard{kA, exited(0, 0)});
  EXPECT_EQ(hear(kA, wire::Stopped{}), Words{"a Bye"});
  at(3100, HeadTick{});
  EXPECT_EQ(cause(), "completed");
  EXPECT_GT(deadline(), 3100) << "a deadline in the past would make the pump spin";
  EXPECT_EQ(at(3900, HeadTick{}), (Words{"close a", "finish"}));
}

TEST_F(HeadFixture, NoticeOfTheTimeLimitGoesToAllRanksAtOnce) {
  spec_.timeout = std::chrono::seconds(30);
  spec_.notice = model::Notice{SIGUSR1, std::chrono::seconds(10)};
  make({model::kLocal, model::kLocal});
  run_all();
  const std::string signal = fmt::format("Signal {}", SIGUSR1);
  EXPECT_EQ(at(20'000, HeadTick{}),
            (Words{"say time is up in 10 s: all ranks get signal 10 (SIGUSR1)", "a " + signal,
                   "b " + signal}));
  EXPECT_EQ(machine_->report().notice, SIGUSR1);
}

TEST_F(HeadFixture, NoticeComesOnceAndOnlyToRanksThatRun) {
  spec_.timeout = std::chrono::seconds(30);
  spec_.notice = model::Notice{SIGUSR1, std::chrono::seconds(10)};
  make({model::kLocal, model::kLocal});
  run_all();
  const std::string signal = fmt::format("Signal {}", SIGUSR1);
  EXPECT_EQ(deadline(), 20'000);
  hear(kB, exited(1, 0));
  hear(kB, wire::Stopped{});
  EXPECT_EQ(at(20'000, HeadTick{}),
            (Words{"say time is up in 10 s: all ranks get signal 10 (SIGUSR1)", "a " + signal}));
  EXPECT_EQ(deadline(), 30'000);
  EXPECT_EQ(at(29'000, HeadTick{}), Words{});
  EXPECT_EQ(at(30'000, HeadTick{}), Words{"a Stop 15"});
}

TEST_F(HeadFixture, ARunThatEndsGivesNoNotice) {
  spec_.timeout = std::chrono::seconds(30);
  spec_.notice = model::Notice{SIGUSR1, std::chrono::seconds(10)};
  make({model::kLocal});
  run_all();
  at(19'000, UserSignal{SIGTERM});
  EXPECT_EQ(at(20'000, HeadTick{}), Words{});
  EXPECT_EQ(machine_->report().notice, 0);
}

TEST_F(HeadFixture, ATerminalThatIsClosedIsOutlivedOnRequest) {
  spec_.outlives_terminal = true;
  make({model::kLocal});
  run_all();
  EXPECT_EQ(now(OutputClosed{true}), Words{}) << "a terminal may go before we are told";
  EXPECT_EQ(now(UserSignal{SIGHUP}), Words{});
  EXPECT_EQ(now(OutputClosed{}), Words{}) << "a reader that the same SIGHUP has ended";
  EXPECT_EQ(now(UserSignal{SIGTERM}).back(), "a Stop 15");
}

TEST_F(HeadFixture, AReaderThatGoesEndsARunThatOutlivesItsTerminal) {
  spec_.outlives_terminal = true;
  make({model::kLocal});
  run_all();
  EXPECT_EQ(now(OutputClosed{}), Words{"a Stop 15"});
  EXPECT_EQ(exit_code(), 141);
}

TEST_F(HeadFixture, OutputThatNobodyReadsEndsTheRunLikeABrokenPipe) {
  make({model::kLocal});
  run_all();
  EXPECT_EQ(now(OutputClosed{}), Words{"a Stop 15"});
  EXPECT_EQ(exit_code(), 141);
  hear(kA, exited(0, 0, SIGTERM));
  EXPECT_EQ(hear(kA, wire::Stopped{}), (Words{"a Bye", "finish"}));
}

TEST_F(HeadFixture, NothingAfterAllHasEndedWellMakesAFailure) {
  make({model::kOpened});
  run_all();
  hear(kA, exited(0, 0));
  hear(kA, wire::Stopped{});
  EXPECT_EQ(hear(kA, wire::Refused{lost("late")}), Words{});
  EXPECT_EQ(now(UserSignal{SIGINT}), Words{});
  EXPECT_EQ(now(LinkLost{kA, lost("ended")}), Words{"finish"});
  EXPECT_EQ(exit_code(), 0);
}

TEST_F(HeadFixture, InputIsReadOnceAllRunAndAWindowAhead) {
  spec_.input.to = model::StdinTo::all;
  make({model::kOpened, model::kOpened});
  start();
  for (const auto node : {kA, kB}) now(LinkUp{node});
  for (const auto node : {kA, kB}) hear(node, wire::Welcome{});
  for (const auto node : {kA, kB}) hear(node, wire::Prepared{});
  EXPECT_EQ(hear(kA, wire::Started{base::Rank(0), 1}), Words{});
  EXPECT_EQ(hear(kB, wire::Started{base::Rank(1), 1}), Words{"read on"});
  EXPECT_EQ(now(InputBytes{std::string(262'144, 'x')}),
            (Words{"a Input 0 262144", "b Input 1 262144", "read off"}));
  EXPECT_EQ(hear(kA, wire::InputCredit{base::Rank(0), 262'144}), Words{});
  EXPECT_EQ(hear(kB, exited(1, 0)), Words{"read on"}) << "nobody waits for a rank that has ended";
  EXPECT_EQ(now(InputEnded{}), (Words{"a InputEnd 0", "b InputEnd 1"}));
  EXPECT_EQ(now(InputEnded{}), Words{});
}

TEST_F(HeadFixture, ServersAreEndedWhenAllOthersHaveEnded) {
  servers_ = 2;
  make({model::kOpened, model::kOpened}, 2);
  run_all();
  EXPECT_EQ(hear(kA, exited(0, 0)), Words());
  EXPECT_EQ(hear(kA, exited(1, 0)), Words());
  EXPECT_EQ(deadline(), 1000);
  EXPECT_EQ(at(1000, HeadTick{}), (Words{"a Stop 15", "b Stop 15"}));
  hear(kB, exited(2, 0, SIGTERM));
  hear(kB, exited(3, 1));  // in its own way of ending: nobody asks any more
  EXPECT_EQ(cause(), "completed");
  EXPECT_EQ(exit_code(), 0);
}

TEST_F(HeadFixture, AServerThatFailsEndsTheJob) {
  servers_ = 1;
  make({model::kOpened}, 2);
  run_all();
  EXPECT_EQ(hear(kA, exited(1, 3)), Words{"a Stop 15"});
  EXPECT_EQ(cause(), "rank 1 on a");
  EXPECT_EQ(exit_code(), 3);
}

TEST_F(HeadFixture, AServerMayEndFirst) {
  servers_ = 1;
  make({model::kOpened}, 2);
  run_all();
  EXPECT_EQ(hear(kA, exited(1, 0)), Words());
  EXPECT_EQ(hear(kA, exited(0, 0)), Words());
  EXPECT_EQ(exit_code(), 0);
}

}  // namespace
}  // namespace muster::machine
