// Hosts that join a run for spawned ranks: when they are called, and what their failures lead to.
#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine {
namespace {

using base::Fault;
using base::NodeIndex;
using base::Rank;

wire::Spawn spawn(std::uint32_t ranks, std::vector<wire::NameValue> info = {}) {
  return {7, Rank(0), false, {{{"child"}, {}, ranks, std::move(info)}}, {}};
}

std::string refused_as(const std::string& why) {
  return "say MPI_Comm_spawn by rank 0 failed: " + why;
}

// "a" has one slot and one rank; "b" and "c" have none of its ranks.
class JoiningHosts : public HeadFixture {
 protected:
  static constexpr NodeIndex kC{2};

  void SetUp() override {
    spare_ = {model::kOpened, model::kOpened};
    make({model::kOpened});
    run_all();
  }
  // World 2: rank 1 of the run, on b.
  void spawn_one() {
    hear(kA, spawn(1));
    greet(kB);
    hear(kB, wire::Prepared{2});
    hear(kB, wire::Started{Rank(1), 200});
  }
  Words greet(NodeIndex node) {
    now(LinkUp{node});
    return hear(node, wire::Welcome{});
  }
  static wire::Refused refusal() { return {{Fault::lost, "no guard", {}, {}}}; }
};

TEST_F(JoiningHosts, JoinWhenThereIsNoOtherRoom) {
  EXPECT_EQ(hear(kA, spawn(1)), (Words{"b joins", "open b"}));
  EXPECT_EQ(now(LinkUp{kB}), Words{"b Hello"});
  EXPECT_EQ(hear(kB, wire::Welcome{}), Words{"b Prepare 1"});
  EXPECT_EQ(hear(kB, wire::Prepared{2}),
            (Words{"world 2 of 1", "b Start world 2", "a Spawned 7 2"}));
  EXPECT_EQ(machine_->report().world_size, 2U);
}

TEST_F(JoiningHosts, AreAskedOnceAllHaveGreeted) {
  EXPECT_EQ(hear(kA, spawn(2)), (Words{"b joins", "c joins", "open b", "open c"}));
  EXPECT_EQ(greet(kB), Words{});
  EXPECT_EQ(greet(kC), (Words{"b Prepare 1", "c Prepare 1"}));
}

TEST_F(JoiningHosts, MayBeNamed) {
  EXPECT_EQ(hear(kA, spawn(1, {{"host", "c"}})), (Words{"c joins", "open b"}));
}

TEST_F(JoiningHosts, BesideTheHeadNeedNoLink) {
  spare_ = {model::kLocal};
  make({model::kOpened});
  run_all();
  EXPECT_EQ(hear(kA, spawn(1)), (Words{"b joins", "open b"}));
  EXPECT_EQ(greet(kB), Words{"b Prepare 1"});
}

TEST_F(JoiningHosts, ThatCannotBeReachedMakeTheSpawnFail) {
  hear(kA, spawn(1));
  EXPECT_EQ(now(LinkFailed{kB, lost("b: unknown host"), Retry::no}),
            (Words{refused_as("b: unknown host"), "a Spawned 7 0"}));
  EXPECT_EQ(cause(), "completed");
  // The next spawn goes elsewhere.
  EXPECT_EQ(hear(kA, spawn(1)), (Words{"c joins", "open c"}));
}

TEST_F(JoiningHosts, AreTriedAgainLikeAllOthers) {
  hear(kA, spawn(1));
  EXPECT_EQ(now(LinkFailed{kB, lost("b: busy"), Retry::briefly}), Words{});
  EXPECT_EQ(at(1000, HeadTick{}).front(), "open b");
}

TEST_F(JoiningHosts, ThatDoNotAnswerMakeTheSpawnFail) {
  spec_.carrier.patience = std::chrono::seconds(4);
  spec_.carrier.command = {"ssh", "-J", "the jump"};
  spec_.carrier.port = 2222;
  spec_.lease = std::chrono::minutes(5);
  make({model::kOpened});
  run_all();
  hear(kA, spawn(1));
  EXPECT_EQ(deadline(), 3000);
  EXPECT_EQ(
      at(3000, HeadTick{}),
      Words{
          "say waiting for 1 of 2 hosts to connect: b (3 s so far, at most 4 s for one attempt)"});
  EXPECT_EQ(
      at(4000, HeadTick{}),
      (Words{"close b",
             refused_as(
                 "b: no answer within 4 s (is the host up, and does `ssh -J 'the jump' -p 2222 b "
                 "true` return by itself? --start-timeout SECONDS waits longer)"),
             "a Spawned 7 0"}));
  EXPECT_EQ(cause(), "completed");
}

TEST_F(JoiningHosts, WithAnotherMusterMakeTheSpawnFail) {
  hear(kA, spawn(1));
  now(LinkUp{kB});
  wire::Welcome other;
  other.protocol = wire::kProtocol + 1;
  const Words words = hear(kB, other);
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[0], "close b");
  EXPECT_NE(words[1].find("speaks protocol"), std::string::npos);
  EXPECT_EQ(words[2], "a Spawned 7 0");
}

TEST_F(JoiningHosts, ThatAreLostBeforeTheirStartMakeTheSpawnFail) {
  hear(kA, spawn(1));
  now(LinkUp{kB});
  EXPECT_EQ(now(LinkLost{kB, lost("b: gone")}), (Words{refused_as("b: gone"), "a Spawned 7 0"}));
  hear(kA, spawn(1));
  greet(kC);
  EXPECT_EQ(now(LinkLost{kC, lost("c: gone")}), (Words{refused_as("c: gone"), "a Spawned 7 0"}));
  EXPECT_EQ(cause(), "completed");
}

TEST_F(JoiningHosts, ThatRefuseBeforeTheirStartMakeTheSpawnFail) {
  hear(kA, spawn(1));
  greet(kB);
  EXPECT_EQ(hear(kB, refusal()), (Words{"close b", refused_as("b: no guard"), "a Spawned 7 0"}));
}

TEST_F(JoiningHosts, ThatAreLostOncePreparedMakeTheSpawnFail) {
  hear(kA, spawn(2));
  greet(kB);
  greet(kC);
  hear(kB, wire::Prepared{2});
  EXPECT_EQ(now(LinkLost{kB, lost("b: gone")}), Words{});
  EXPECT_EQ(hear(kC, wire::Prepared{2}),
            (Words{"c Drop 2", refused_as("b: gone"), "a Spawned 7 0"}));
}

TEST_F(JoiningHosts, LeaveTheOthersToTheNextSpawn) {
  hear(kA, spawn(2));
  now(LinkFailed{kB, lost("b: unknown host"), Retry::no});
  EXPECT_EQ(greet(kC), (Words{refused_as("b: unknown host"), "a Spawned 7 0"}));
  EXPECT_EQ(hear(kA, spawn(1)), Words{"c Prepare 1"});
}

TEST_F(JoiningHosts, ThatDeclineMayBeAskedAgain) {
  hear(kA, spawn(1));
  greet(kB);
  EXPECT_EQ(hear(kB, wire::Declined{2, {Fault::cannot_start, "no child", {}, {}}}),
            (Words{"b Drop 2", refused_as("b: no child"), "a Spawned 7 0"}));
  EXPECT_EQ(hear(kA, spawn(1)), Words{"b Prepare 1"});
}

TEST_F(JoiningHosts, ThatRunRanksAreLostLikeAllOthers) {
  spawn_one();
  now(LinkLost{kB, lost("b: gone")});
  EXPECT_EQ(cause(), "b: gone");
}

TEST_F(JoiningHosts, HaveRanksThatFailLikeAllOthers) {
  spawn_one();
  EXPECT_EQ(hear(kB, exited(1, 6)), (Words{"a Stop 15", "b Stop 15"}));
  EXPECT_EQ(cause(), "rank 1 on b");
}

TEST_F(JoiningHosts, LeaveWithTheLastThatWorks) {
  hear(kA, spawn(1));
  greet(kB);
  hear(kB, wire::Declined{2, {}});
  hear(kA, exited(0, 0));
  EXPECT_EQ(hear(kA, wire::Stopped{}), (Words{"a Bye", "b Bye"}));
}

TEST_F(JoiningHosts, ThatAreNotOpenYetAreCutOffWithTheLastThatWorks) {
  hear(kA, spawn(1));
  hear(kA, exited(0, 0));
  EXPECT_EQ(hear(kA, wire::Stopped{}), (Words{"close b", "a Bye"}));
}

TEST_F(JoiningHosts, ThatAreNotOpenYetAreCutOffWhenTheJobFails) {
  hear(kA, spawn(1));
  EXPECT_EQ(hear(kA, exited(0, 3)), (Words{"a Stop 15", "close b"}));
  EXPECT_EQ(exit_code(), 3);
}

TEST_F(JoiningHosts, AreNotThereInAnotherRound) {
  spec_.max_restarts = 1;
  make({model::kOpened});
  run_all();
  hear(kA, spawn(1));
  now(LinkFailed{kB, lost("b: unknown host"), Retry::no});
  hear(kA, exited(0, 3));
  EXPECT_EQ(hear(kA, wire::Stopped{}), Words{"a Bye"});
}

TEST_F(JoiningHosts, AreToldWhatWasBeforeThem) {
  RunInput input;
  input.spec.apps.front().command = {"program"};
  input.kept = {{{}}, {{}}};
  model::Host first;
  first.name = "a";
  first.carrier = model::kOpened;
  model::Host second = first;
  second.name = "b";
  input.plan.nodes = {{first, {Rank(0)}}};
  input.plan.ranks = {{kA, 0}};
  input.plan.spare = {second};
  input.spec.wireup = model::Wireup::pmix;
  HeadMachine machine(std::move(input));
  HeadEffects out;
  const auto step = [&](HeadEvent event) {
    out.clear();
    machine.step(base::Instant(std::chrono::seconds(1)), std::move(event), out);
  };
  machine.start(base::Instant(std::chrono::seconds(1)), out);
  step(LinkUp{kA});
  step(Heard{kA, wire::Welcome{}});
  step(Heard{kA, wire::Prepared{}});
  step(Heard{kA, spawn(1)});
  step(LinkUp{kB});
  step(Heard{kB, wire::Welcome{}});
  const HostOrders prepare = orders_in(out, kB);
  ASSERT_EQ(prepare.wireup.pmix_jobs.size(), 1U);
  const pmix::AddJob& told = prepare.wireup.pmix_jobs.front();
  EXPECT_EQ(told.node, 1U);
  EXPECT_EQ(told.job->nodes, (std::vector<pmix::JobNode>{{"a", {0}}, {"b", {}}}));
  EXPECT_EQ(prepare.hostfile, "a slots=1\nb slots=1\n");
}

}  // namespace
}  // namespace muster::machine
