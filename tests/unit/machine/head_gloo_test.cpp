// A job of horovodrun: the store is served before any host is told of its ranks, and those that it
// does not hear of are named.
#include <csignal>

#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine {
namespace {

wire::Welcome seen(const std::string& host, const std::string& head) {
  wire::Welcome message;
  message.facts.reached_at = host;
  message.facts.head_address = head;
  return message;
}

class HeadGloo : public HeadFixture {
 protected:
  void greet(const std::string& interface, const std::string& head) {
    spec_.gloo = {interface};
    make({model::kOpened, model::kOpened});
    start();
    now(LinkUp{kA});
    now(LinkUp{kB});
    hear(kA, seen("10.0.0.1", head));
    effects_ = hear(kB, seen("10.0.0.2", head));
  }

  Words effects_;
};

TEST_F(HeadGloo, ServesWhereHostsSawThisMachine) {
  greet("", "10.0.0.9");
  EXPECT_EQ(effects_, Words{"serve gloo on '' at '10.0.0.9' for 4 scopes of 10.0.0.1 10.0.0.2"});
  EXPECT_EQ(now(GlooServed{GlooServed::At{"10.0.0.9", 4000}}),
            (Words{"a Prepare 1", "b Prepare 1"}));
}

TEST_F(HeadGloo, ServesOnTheInterfaceAskedFor) {
  greet("ib0", "");
  EXPECT_EQ(effects_, Words{"serve gloo on 'ib0' at '' for 4 scopes of 10.0.0.1 10.0.0.2"});
}

TEST_F(HeadGloo, NeedsAnAddressForOthers) {
  greet("", "127.0.0.1");
  EXPECT_EQ(cause(), "no host has reported the address of this machine, at which ranks would meet");
}

TEST_F(HeadGloo, EndsWhenTheStoreCannotBeServed) {
  greet("", "10.0.0.9");
  now(GlooServed{tl::unexpected(lost("cannot listen"))});
  EXPECT_EQ(cause(), "cannot listen");
}

class HeadGlooRuns : public HeadGloo {
 protected:
  void run_two_each() {
    spec_.gloo = {""};
    make({model::kLocal, model::kLocal}, 2);  // these have no heartbeats
    start();
    for (const auto node : {kA, kB}) now(LinkUp{node});
    begin_round();
  }

  void begin_round() {
    hear(kA, seen("10.0.0.1", "10.0.0.9"));
    hear(kB, seen("10.0.0.2", "10.0.0.9"));
    now(GlooServed{GlooServed::At{"10.0.0.9", 4000}});
    for (const auto node : {kA, kB}) hear(node, wire::Prepared{});
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      hear(rank < 2 ? kA : kB, wire::Started{base::Rank(rank), 200});
    }
  }

  static GlooJoined joined(std::uint32_t rank) {
    return {base::Rank(rank), rank < 2 ? "10.0.0.1" : "10.0.0.2"};
  }
};

TEST_F(HeadGlooRuns, NamesWhoKeepsOthersWaitingAndAsksNoHost) {
  run_two_each();
  at(500, joined(0));
  at(600, joined(2));
  EXPECT_EQ(at(9500, HeadTick{}), Words{});
  EXPECT_EQ(deadline(), 10'500);
  EXPECT_EQ(
      at(10'500, HeadTick{}),
      Words{"say other ranks have waited in hvd.init() for 10 s for rank 1 on a, rank 3 on b; "
            "muster horovodrun --init-timeout SECONDS ends such a job"});
  at(11'000, joined(3));
  now(UserSignal{SIGINT});
  now(joined(1));
  EXPECT_EQ(machine_->report().missing, std::vector{base::Rank(1)}) << "it came too late";
  EXPECT_EQ(machine_->report().joining, model::Joining::horovod);
}

TEST_F(HeadGlooRuns, NamesThemAfterTheLimit) {
  spec_.init_timeout = std::chrono::seconds(5);
  run_two_each();
  for (const std::uint32_t rank : {0u, 1u, 3u}) at(500, joined(rank));
  EXPECT_EQ(at(5500, HeadTick{}), (Words{"a Stop 15", "b Stop 15"}));
  EXPECT_EQ(cause(),
            "not all ranks connected to Horovod's store (hvd.init()) within --init-timeout 5 s of "
            "the first");
  EXPECT_EQ(machine_->report().missing, std::vector{base::Rank(2)});
}

TEST_F(HeadGlooRuns, NamesNobodyWhereNoneHasComeOrAllHave) {
  run_two_each();
  EXPECT_EQ(now(joined(9)), Words{}) << "there is none";
  now(UserSignal{SIGINT});
  EXPECT_EQ(machine_->report().missing_total, 0U);
  run_two_each();
  for (std::uint32_t rank = 0; rank < 4; ++rank) now(joined(rank));
  now(UserSignal{SIGINT});
  EXPECT_EQ(machine_->report().missing_total, 0U);
}

// A program may leave it out, by a HOROVOD_SIZE of its own.
TEST_F(HeadGlooRuns, GoesOnWhenARankHasEndedWithoutHvdInit) {
  run_two_each();
  now(joined(0));
  EXPECT_EQ(hear(kB, exited(2, 0)), Words{});
  for (const std::uint32_t rank : {1u, 3u}) now(joined(rank));
  now(UserSignal{SIGINT});
  EXPECT_EQ(machine_->report().missing, std::vector{base::Rank(2)});
}

TEST_F(HeadGlooRuns, ARankThatFailsBeforeItIsTheCauseAndIsNotMissed) {
  run_two_each();
  at(500, joined(0));
  at(2500, Heard{kB, exited(2, 7)});
  EXPECT_EQ(cause(), "rank 2 on b");
  EXPECT_FALSE(machine_->report().aborted);
  EXPECT_EQ(machine_->report().missing, (std::vector{base::Rank(1), base::Rank(3)}));
}

TEST_F(HeadGlooRuns, AnotherRoundBeginsWithNobody) {
  spec_.max_restarts = 1;
  run_two_each();
  now(joined(0));
  hear(kB, exited(2, 7));
  for (const std::uint32_t rank : {0u, 1u}) hear(kA, exited(rank, 0, SIGTERM));
  hear(kB, exited(3, 0, SIGTERM));
  hear(kA, wire::Stopped{});
  hear(kB, wire::Stopped{});
  begin_round();
  EXPECT_EQ(deadline(), -1);
  now(joined(3));
  now(UserSignal{SIGINT});
  EXPECT_EQ(machine_->report().missing, (std::vector{base::Rank(0), base::Rank(1), base::Rank(2)}));
}

// Users of other hosts cannot be told apart: any of them may put what it likes.
TEST_F(HeadGlooRuns, KnowsNothingOnceAnotherHostSpeaksForARank) {
  run_two_each();
  now(GlooJoined{base::Rank(0), "10.0.0.2"});
  now(joined(1));
  EXPECT_EQ(hear(kB, exited(2, 0)), Words{});
  now(UserSignal{SIGINT});
  EXPECT_EQ(machine_->report().missing_total, 0U);
}

TEST_F(HeadGlooRuns, HearsThisMachinesRanksOverItsLoopback) {
  run_two_each();
  now(GlooJoined{base::Rank(0), ""});
  now(UserSignal{SIGINT});
  EXPECT_EQ(machine_->report().missing_total, 3U);
}

// As under horovodrun without --gloo.
TEST_F(HeadGlooRuns, KnowsRanksThatCallMpiInitInstead) {
  run_two_each();
  EXPECT_EQ(hear(kA, wire::Attendance{{base::Rank(0)}}), Words{});
  EXPECT_EQ(hear(kB, exited(2, 0)), (Words{"a Stop 15", "b Stop 15"}));
  EXPECT_EQ(machine_->report().abort_message,
            "it ended without calling MPI_Init while other ranks waited for it");
}

TEST_F(HeadGloo, AStoreThatComesTooLateChangesNothing) {
  greet("", "10.0.0.9");
  now(UserSignal{15});
  EXPECT_EQ(now(GlooServed{GlooServed::At{"10.0.0.9", 4000}}), Words());
  EXPECT_EQ(cause(), "signal 15");
}

}  // namespace
}  // namespace muster::machine
