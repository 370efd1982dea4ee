// The head and PMIx servers: who is told of which worlds, whose questions are joined, and when.
#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine {
namespace {

using base::NodeIndex;
using base::Rank;

// Two hosts with one rank each.
class HeadPmix : public HeadFixture {
 protected:
  void SetUp() override {
    spec_.wireup = model::Wireup::automatic;
    make({model::kOpened, model::kOpened});
  }
  static wire::PmixUp fence(pmix::Ticket ticket, const std::string& nspace = "muster-secret") {
    return {pmix::Fence{ticket, {{nspace, pmix::kAllRanks}}, "of all"}};
  }
  static wire::Spawn spawn(std::uint32_t ranks) {
    return {7, Rank(0), true, {{{"child"}, {}, ranks, {{"host", "a"}}}}, {}};
  }
  // What a node is told of the first world.
  WireupOrders orders(NodeIndex node) {
    RunInput input;
    input.spec = spec_;
    input.spec.apps.front().command = {"program", "-v"};
    input.secret = "secret";
    input.kept = {{{}}, {{}}};
    for (std::uint32_t i = 0; i < 2; ++i) {
      input.plan.ranks.push_back({NodeIndex(i), 0});
      input.plan.nodes.push_back({{}, {Rank(i)}});
      input.plan.nodes.back().host.name = i == 0 ? "a" : "b";
    }
    input.plan.universe = 4;
    HeadMachine machine(std::move(input));
    const base::Instant now{std::chrono::seconds(1)};
    HeadEffects out;
    machine.start(now, out);
    for (std::uint32_t i = 0; i < 2; ++i) machine.step(now, LinkUp{NodeIndex(i)}, out);
    for (std::uint32_t i = 0; i < 2; ++i) {
      machine.step(now, Heard{NodeIndex(i), wire::Welcome{}}, out);
    }
    return orders_in(out, node).wireup;
  }
};

TEST_F(HeadPmix, EveryHostHearsOfTheJobWithItsOrders) {
  const auto jobs = orders(kB).pmix_jobs;
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].node, 1U);
  EXPECT_EQ(jobs[0].scratch, "") << "its agent finds one";
  const pmix::Job expected{.nspace = "muster-secret",
                           .nodes = {{"a", {0}}, {"b", {1}}},
                           .universe = 4,
                           .apps = {{"program -v", "", 2}},
                           .parent = {}};
  EXPECT_EQ(*jobs[0].job, expected);
}

TEST_F(HeadPmix, OtherWireUpsKnowNothingOfIt) {
  for (const model::Wireup other :
       {model::Wireup::none, model::Wireup::pmi1, model::Wireup::pmi2}) {
    spec_.wireup = other;
    EXPECT_TRUE(orders(kA).pmix_jobs.empty());
    make({model::kOpened, model::kOpened});
    run_all();
    EXPECT_EQ(hear(kA, fence(1)), Words{});
  }
}

TEST_F(HeadPmix, AFenceIsAnsweredWhenAllHostsHaveCome) {
  run_all();
  EXPECT_EQ(hear(kA, fence(1)), Words{});
  EXPECT_EQ(hear(kB, fence(9)), (Words{"a Reply 1 0 of allof all", "b Reply 9 0 of allof all"}));
}

TEST_F(HeadPmix, NobodySpeaksBeforeTheStart) {
  start();
  EXPECT_EQ(hear(kA, fence(1)), Words{});
}

TEST_F(HeadPmix, NobodySpeaksAfterItsEnd) {
  run_all();
  hear(kB, exited(1, 0));
  hear(kB, wire::Stopped{});
  EXPECT_EQ(hear(kB, fence(1)), Words{});
  EXPECT_EQ(hear(kA, fence(1)), Words{});
}

TEST_F(HeadPmix, WhoWaitsForALostHostIsToldSo) {
  run_all();
  hear(kA, fence(1));
  const Words told = now(LinkLost{kB, lost("b: gone")});
  EXPECT_EQ(told, (Words{"a Stop 15", "a Reply 1 -25 "}));
  EXPECT_EQ(hear(kA, fence(2)), Words{"a Reply 2 -25 "});
}

TEST_F(HeadPmix, AllHostsHearOfAWorldBeforeItStarts) {
  run_all();
  EXPECT_EQ(hear(kA, spawn(1)), Words{"a Prepare 1"});
  EXPECT_EQ(hear(kA, wire::Prepared{2}),
            (Words{"world 2 of 1", "a AddJob muster-secret-2", "b AddJob muster-secret-2",
                   "a Start world 2", "a Spawned 7 2"}));
  EXPECT_EQ(hear(kA, fence(3, "muster-secret-2")), Words{"a Reply 3 0 of all"});
  EXPECT_EQ(hear(kB, fence(4, "muster-secret-2")), Words{"b Reply 4 -46 "}) << "it has no part";
}

TEST_F(HeadPmix, AnotherRoundHasAnotherName) {
  spec_.max_restarts = 1;
  make({model::kOpened, model::kOpened});
  run_all();
  hear(kA, fence(1));
  hear(kA, exited(0, 3));
  hear(kB, exited(1, 0, 15));
  hear(kA, wire::Stopped{});
  hear(kB, wire::Stopped{});
  for (const NodeIndex node : {kA, kB}) hear(node, wire::Welcome{});
  for (const NodeIndex node : {kA, kB}) hear(node, wire::Prepared{});
  EXPECT_EQ(hear(kB, fence(2)), Words{"b Reply 2 -46 "}) << "nobody has the first round's name";
  EXPECT_EQ(hear(kA, fence(3, "muster-secret.1")), Words{});
  EXPECT_EQ(hear(kB, fence(4, "muster-secret.1")),
            (Words{"a Reply 3 0 of allof all", "b Reply 4 0 of allof all"}));
}

}  // namespace
}  // namespace muster::machine
