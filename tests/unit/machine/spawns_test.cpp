// Spawns: one at a time, in order; what its hosts say decides how it goes on.
#include "machine/spawns.hpp"

#include <concepts>
#include <gtest/gtest.h>

namespace muster::machine::spawns_test {
namespace {

using base::NodeIndex;
using base::Rank;

static_assert(std::equality_comparable<Spawns> && std::copyable<Spawns>);

constexpr NodeIndex kA{0}, kB{1};

wire::Spawn order(std::uint64_t id) {
  wire::Spawn made;
  made.id = id;
  return made;
}

PlannedSpawn on_both(std::uint32_t number = 2) {
  PlannedSpawn made;
  made.placed = {{number, Rank(2), 2}, "w", "", 0, {kA, kB}};
  return made;
}

base::Error why(const char* what) { return {base::Fault::lost, what, {}, {}}; }

class PreparingSpawn : public testing::Test {
 protected:
  PreparingSpawn() {
    spawns_.ask(kA, order(1));
    spawns_.ask(kB, order(2));
    auto first = spawns_.next();
    EXPECT_EQ(first->order.id, 1U);
    spawns_.prepare(std::move(*first), on_both());
  }
  Spawns spawns_;
};

TEST_F(PreparingSpawn, IsReadyWhenAllHaveAnswered) {
  EXPECT_FALSE(spawns_.next()) << "one at a time";
  EXPECT_EQ(spawns_.status(), (Spawns::Status{1, {}, 2}));
  EXPECT_FALSE(spawns_.prepared(kA, 2));
  EXPECT_FALSE(spawns_.prepared(kA, 2)) << "once more is nothing new";
  EXPECT_FALSE(spawns_.prepared(kB, 3)) << "of a world that nobody asked for";
  const auto ready = spawns_.prepared(kB, 2);
  ASSERT_TRUE(ready);
  EXPECT_FALSE(ready->refusal);
  EXPECT_FALSE(ready->again);
  EXPECT_EQ(ready->planned, on_both());
  EXPECT_EQ(spawns_.next()->order.id, 2U);
}

TEST_F(PreparingSpawn, IsRefusedWithTheFirstReasonOnceAllHaveAnswered) {
  EXPECT_FALSE(spawns_.declined(kB, 2, why("first")));
  const auto refused = spawns_.missed(kA, why("second"));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->refusal->what, "first");
}

TEST_F(PreparingSpawn, IsPlannedAgainWhenAHostHasEndedThatHadPrepared) {
  EXPECT_FALSE(spawns_.prepared(kA, 2));
  EXPECT_FALSE(spawns_.host_ended(kA));
  const auto ready = spawns_.prepared(kB, 2);
  ASSERT_TRUE(ready);
  EXPECT_TRUE(ready->again);
}

TEST_F(PreparingSpawn, IsRefusedWhenAHostIsLostThatHadPrepared) {
  EXPECT_FALSE(spawns_.prepared(kA, 2));
  EXPECT_FALSE(spawns_.missed(kA, why("lost")));
  const auto refused = spawns_.prepared(kB, 2);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->refusal->what, "lost");
}

TEST_F(PreparingSpawn, IsPlannedAgainWhenAHostHasEndedAndWhoWaitedThereIsForgotten) {
  EXPECT_FALSE(spawns_.prepared(kA, 2));
  auto again = spawns_.host_ended(kB);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->again);
  spawns_.ask_again(std::move(again->asked));
  EXPECT_EQ(spawns_.next()->order.id, 1U);
  EXPECT_FALSE(spawns_.next()) << "the other one's asker has ended";
}

TEST(CallingSpawn, IsPlannedAgainWhenAllHaveGreeted) {
  Spawns spawns;
  spawns.ask(kA, order(1));
  spawns.call(*spawns.next(), {NodeIndex(2), NodeIndex(3)});
  EXPECT_TRUE(spawns.calls_hosts());
  EXPECT_FALSE(spawns.greeted(kA)) << "it was not called";
  EXPECT_FALSE(spawns.greeted(NodeIndex(2)));
  const auto again = spawns.greeted(NodeIndex(3));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->again);
  EXPECT_TRUE(again->planned.placed.nodes.empty());
  EXPECT_FALSE(spawns.calls_hosts());
}

TEST(CallingSpawn, IsRefusedOnceTheOthersHaveGreeted) {
  Spawns spawns;
  spawns.ask(kA, order(1));
  spawns.call(*spawns.next(), {NodeIndex(2), NodeIndex(3)});
  EXPECT_FALSE(spawns.missed(NodeIndex(2), why("down")));
  const auto refused = spawns.greeted(NodeIndex(3));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->refusal->what, "down");
  EXPECT_FALSE(refused->again);
}

}  // namespace
}  // namespace muster::machine::spawns_test
