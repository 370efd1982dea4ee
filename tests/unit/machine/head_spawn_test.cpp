// The head's share of MPI_Comm_spawn: where ranks go, when they start, and what a refusal leads to.
#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine {
namespace {

using base::Fault;
using base::NodeIndex;
using base::Rank;

wire::Spawn spawn(std::uint32_t rank, std::uint32_t ranks, std::vector<wire::NameValue> info = {}) {
  return {7, Rank(rank), false, {{{"child"}, {{"A", "b"}}, ranks, std::move(info)}}, {{"k", "v"}}};
}

wire::Declined declined(std::uint32_t world, const std::string& what) {
  return {world, {Fault::cannot_start, what, {}, {}}};
}

class SpawningJob : public HeadFixture {
 protected:
  void SetUp() override {
    make({model::kOpened, model::kOpened});
    run_all();
  }
  // The orders for a node that this message leads to.
  HostOrders orders(NodeIndex node, const wire::Spawn& message) {
    HeadEffects effects;
    machine_->step(base::Instant(std::chrono::seconds(100)), Heard{kA, message}, effects);
    return orders_in(effects, node);
  }
  template <class Variables>
  static std::string value(const Variables& variables, const char* name) {
    for (const auto& one : variables) {
      if (one.name == name) return one.value;
    }
    return "(unset)";
  }
  // World 2, of one rank on each host: ranks 2 and 3 of the run.
  void spawn_two() {
    hear(kA, spawn(0, 2));
    hear(kA, wire::Prepared{2});
    hear(kB, wire::Prepared{2});
    hear(kA, wire::Started{Rank(2), 200});
    hear(kB, wire::Started{Rank(3), 201});
  }
};

TEST_F(SpawningJob, StartWhenAllTheirHostsHavePrepared) {
  EXPECT_EQ(hear(kA, spawn(0, 2)), (Words{"a Prepare 1", "b Prepare 1"}));
  EXPECT_EQ(hear(kB, wire::Prepared{2}), Words{});
  EXPECT_EQ(hear(kA, wire::Prepared{2}),
            (Words{"world 2 of 2", "a Start world 2", "b Start world 2", "a Spawned 7 2"}));
}

TEST_F(SpawningJob, AskOnlyHostsThatTheyRunOn) {
  EXPECT_EQ(hear(kA, spawn(0, 2, {{"host", "b"}})), Words{"b Prepare 2"});
  EXPECT_EQ(hear(kB, wire::Prepared{2}),
            (Words{"world 2 of 2", "b Start world 2", "a Spawned 7 2"}));
}

TEST_F(SpawningJob, HaveAWorldOfTheirOwn) {
  const HostOrders got = orders(kB, spawn(0, 2));
  ASSERT_EQ(got.tasks.size(), 1u);
  EXPECT_EQ(got.tasks[0].rank, Rank(3));
  EXPECT_EQ(value(got.given(got.tasks[0]), "RANK"), "1");
  EXPECT_EQ(value(got.apps.at(0).given, "OMPI_COMM_WORLD_SIZE"), "2");
  EXPECT_EQ(value(got.given(got.tasks[0]), "LOCAL_RANK"), "0");
  EXPECT_EQ(value(got.apps.at(0).kept, "A"), "b");
  EXPECT_EQ(got.apps[0].command, std::vector<std::string>{"child"});
  EXPECT_EQ(got.wireup.world, 2u);
  EXPECT_EQ(got.wireup.first, Rank(2));
  EXPECT_EQ(got.wireup.size, 2u);
  EXPECT_EQ(got.wireup.name, "muster__2");
  EXPECT_EQ(got.wireup.spawner, "muster_");
  EXPECT_EQ(value(got.wireup.preput, "k"), "v");
}

// Its mpirun does so, and programs rely on it; MPICH's never did.
TEST_F(SpawningJob, OfOpenMpiMayLieInTheWorkingFolder) {
  wire::Spawn message = spawn(0, 2);
  EXPECT_FALSE(orders(kB, message).apps.at(0).tries_workdir);
  make({model::kOpened, model::kOpened});
  run_all();
  message.pmix = true;
  EXPECT_TRUE(orders(kB, message).apps.at(0).tries_workdir);
}

TEST_F(SpawningJob, FenceAmongThemselves) {
  spawn_two();
  EXPECT_EQ(hear(kA, wire::FenceIn{0, "a", 2}), Words{});
  EXPECT_EQ(hear(kB, wire::FenceIn{0, "x", 1}), Words{}) << "the first world's is another fence";
  EXPECT_EQ(hear(kB, wire::FenceIn{0, "b", 2}), (Words{"a FenceOut 0 ab", "b FenceOut 0 ab"}));
  EXPECT_EQ(hear(kB, wire::FenceIn{0, "b", 3}), Words{}) << "there is no such world";
}

TEST_F(SpawningJob, FailLikeAllOthers) {
  spawn_two();
  EXPECT_EQ(hear(kB, exited(3, 5)), (Words{"a Stop 15", "b Stop 15"}));
  EXPECT_EQ(exit_code(), 5);
  EXPECT_EQ(cause(), "rank 3 on b");
  const model::RunReport report = machine_->report();
  EXPECT_EQ(report.world_size, 4u);
  EXPECT_EQ(report.worlds, (std::vector<model::World>{{1, Rank(0), 2}, {2, Rank(2), 2}}));
}

TEST_F(SpawningJob, AreAwaited) {
  spawn_two();
  for (const std::uint32_t rank : {0u, 2u}) hear(kA, exited(rank, 0));
  EXPECT_EQ(hear(kA, wire::Stopped{}), Words{});
  for (const std::uint32_t rank : {1u, 3u}) hear(kB, exited(rank, 0));
  EXPECT_EQ(hear(kB, wire::Stopped{}), (Words{"a Bye", "b Bye"}));
  EXPECT_EQ(exit_code(), 0);
}

TEST_F(SpawningJob, ThatAHostDeclinesAreTheSpawnersErrorAndNotTheJobs) {
  hear(kA, spawn(0, 2));
  EXPECT_EQ(hear(kB, declined(2, "no program child")), Words{}) << "the other must answer too";
  EXPECT_EQ(hear(kA, wire::Prepared{2}),
            (Words{"a Drop 2", "b Drop 2",
                   "say MPI_Comm_spawn by rank 0 failed: b: no program child", "a Spawned 7 0"}));
  EXPECT_EQ(cause(), "completed");
  EXPECT_EQ(hear(kA, spawn(0, 2)), (Words{"a Prepare 1", "b Prepare 1"})) << "the next may succeed";
}

TEST_F(SpawningJob, OnAHostWhereAllHaveEndedBeginWithAGreeting) {
  hear(kB, exited(1, 0));
  EXPECT_EQ(hear(kB, wire::Stopped{}), Words{});
  EXPECT_EQ(hear(kA, spawn(0, 2)), Words{"b Hello"});
  EXPECT_EQ(hear(kB, wire::Welcome{}), (Words{"a Prepare 1", "b Prepare 1"}));
  hear(kA, wire::Prepared{2});
  EXPECT_EQ(hear(kB, wire::Prepared{2}),
            (Words{"world 2 of 2", "a Start world 2", "b Start world 2", "a Spawned 7 2"}));
  EXPECT_EQ(hear(kB, exited(2, 0)), Words{});
  EXPECT_EQ(hear(kB, wire::Stopped{}), Words{});
  EXPECT_EQ(hear(kA, spawn(0, 1, {{"host", "b"}})), Words{"b Hello"}) << "and again";
}

TEST_F(SpawningJob, OnAHostThatHasJustEndedBeginWithAGreeting) {
  hear(kA, spawn(0, 2));
  hear(kA, wire::Prepared{2});
  hear(kB, exited(1, 0));
  EXPECT_EQ(hear(kB, wire::Stopped{}), (Words{"a Drop 2", "b Hello"}));
  EXPECT_EQ(hear(kB, wire::Welcome{}), (Words{"a Prepare 1", "b Prepare 1"}));
}

TEST_F(SpawningJob, GoElsewhereWhenAHostHasEndedAndIsLost) {
  hear(kB, exited(1, 0));
  hear(kB, wire::Stopped{});
  EXPECT_EQ(now(LinkLost{kB, lost("b: gone")}), Words{});
  EXPECT_EQ(hear(kA, spawn(0, 2)), Words{"a Prepare 2"});
}

TEST_F(SpawningJob, FailWhenTheHostThatIsGreetedAgainIsLost) {
  hear(kB, exited(1, 0));
  hear(kB, wire::Stopped{});
  hear(kA, spawn(0, 2));
  EXPECT_EQ(now(LinkLost{kB, lost("b: gone")}),
            (Words{"say MPI_Comm_spawn by rank 0 failed: b: gone", "a Spawned 7 0"}));
  EXPECT_EQ(cause(), "completed");
}

TEST_F(SpawningJob, FindHostsAwakeThatEndedLongAgo) {
  spec_.lease = std::chrono::seconds(8);
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kB, exited(1, 0));
  hear(kB, wire::Stopped{});
  EXPECT_EQ(at(2000, HeadTick{}), (Words{"a Ping", "b Ping"}));
}

TEST_F(SpawningJob, WhoseSpawnerHasEndedWakeNobody) {
  hear(kA, spawn(0, 2));
  EXPECT_EQ(hear(kB, spawn(1, 1)), Words{});
  hear(kB, exited(1, 0));
  EXPECT_EQ(hear(kB, wire::Stopped{}), Words{});
  EXPECT_EQ(hear(kA, wire::Prepared{2}), (Words{"a Drop 2", "b Hello"}));
  hear(kB, wire::Welcome{});
  hear(kA, wire::Prepared{2});
  const Words words = hear(kB, wire::Prepared{2});
  EXPECT_EQ(words.back(), "a Spawned 7 2") << "the other spawn is forgotten";
}

TEST_F(SpawningJob, WhoseSpawnerHasEndedTooAreForgotten) {
  hear(kA, spawn(0, 1));
  hear(kA, exited(0, 0));
  EXPECT_EQ(hear(kA, wire::Stopped{}), Words{});
  hear(kB, exited(1, 0));
  EXPECT_EQ(hear(kB, wire::Stopped{}), (Words{"a Bye", "b Bye"}));
}

TEST_F(SpawningJob, ThatAreDeclinedAreNotTriedElsewhere) {
  hear(kA, spawn(0, 2));
  hear(kA, declined(2, "no program child"));
  hear(kB, exited(1, 0));
  EXPECT_EQ(hear(kB, wire::Stopped{}),
            (Words{"a Drop 2", "say MPI_Comm_spawn by rank 0 failed: a: no program child",
                   "a Spawned 7 0"}));
}

TEST_F(SpawningJob, WaitForThoseBefore) {
  hear(kA, spawn(0, 2));
  EXPECT_EQ(hear(kB, spawn(1, 1, {{"host", "b"}})), Words{});
  hear(kA, wire::Prepared{2});
  const Words words = hear(kB, wire::Prepared{2});
  EXPECT_EQ(words.back(), "b Prepare 1");
  EXPECT_EQ(hear(kB, wire::Prepared{3}),
            (Words{"world 3 of 1", "b Start world 3", "b Spawned 7 3"}));
}

TEST_F(SpawningJob, AreForgottenWhenTheJobEnds) {
  hear(kA, spawn(0, 2));
  hear(kB, exited(1, 1));
  EXPECT_EQ(hear(kA, wire::Prepared{2}), Words{});
  EXPECT_EQ(hear(kB, wire::Prepared{2}), Words{});
  EXPECT_EQ(hear(kA, spawn(0, 1)), Words{});
  hear(kA, exited(0, 0, 15));
  hear(kA, wire::Stopped{});
  EXPECT_EQ(hear(kB, wire::Stopped{}), (Words{"a Bye", "b Bye"}));
}

TEST_F(SpawningJob, SayWhatCannotBeHad) {
  const auto refused = [&](const wire::Spawn& order) {
    const Words words = hear(kA, order);
    EXPECT_EQ(words.back(), "a Spawned 7 0");
    return words.front();
  };
  EXPECT_EQ(refused(spawn(0, 1, {{"host", "c"}})),
            "say MPI_Comm_spawn by rank 0 failed: c is not one of the job's hosts (ranks can be "
            "spawned on the job's hosts, unless they are lost)");
  EXPECT_NE(refused(spawn(0, 1, {{"add-host", "c"}})).find("add-host"), std::string::npos);
  EXPECT_NE(refused(spawn(0, 999'999)).find("1000001 ranks would be too many"), std::string::npos);
  EXPECT_NE(refused({7, Rank(0), false, {}, {}}).find("no ranks"), std::string::npos);
  for (const std::vector<std::string>& none : {std::vector<std::string>{}, {""}}) {
    wire::Spawn empty = spawn(0, 1);
    empty.apps[0].command = none;
    EXPECT_EQ(refused(empty), "say MPI_Comm_spawn by rank 0 failed: the program is an empty word");
  }
}

TEST_F(SpawningJob, NameTheSpawnerInItsOwnNumbers) {
  spawn_two();
  EXPECT_EQ(hear(kB, spawn(3, 1, {{"host", "c"}})).front().substr(0, 48),
            "say MPI_Comm_spawn by rank 1 of spawned job 2 fa");
}

}  // namespace
}  // namespace muster::machine
