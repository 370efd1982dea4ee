// RollCall and Register: who has called MPI_Init, who keeps others waiting, and what is told when.
#include "machine/roll_call.hpp"

#include <gtest/gtest.h>

#include "machine/register.hpp"

namespace muster::machine {
namespace {

using base::Instant;
using base::Rank;
using std::chrono::seconds;
using RankList = std::vector<Rank>;

Instant at(int second) { return Instant(seconds(second)); }

RollCall of_two_worlds() {
  RollCall roll;
  roll.add({1, Rank(0), 3});
  roll.add({2, Rank(3), 2});
  return roll;
}

TEST(RollCall, NobodyIsMissedWhereNobodyWaits) {
  RollCall roll = of_two_worlds();
  roll.left(Rank(1));
  EXPECT_EQ(roll.missing(), RankList{});
  EXPECT_EQ(roll.deserter(), std::nullopt);
  EXPECT_EQ(roll.deadline(seconds(5)), std::nullopt);
}

TEST(RollCall, EachWorldWaitsForItsOwn) {
  RollCall roll = of_two_worlds();
  roll.came(Rank(4), at(7));
  EXPECT_EQ(roll.missing(), RankList{Rank(3)});
  EXPECT_EQ(roll.deadline(seconds(5)), at(12));
  roll.came(Rank(0), at(6));
  EXPECT_EQ(roll.missing(), (RankList{Rank(1), Rank(2), Rank(3)}));
  EXPECT_EQ(roll.deadline(seconds(5)), at(11)) << "the first one's arrival counts";
}

TEST(RollCall, ACompleteWorldWaitsNoMore) {
  RollCall roll = of_two_worlds();
  for (const Rank rank : {Rank(3), Rank(4), Rank(4)}) roll.came(rank, at(1));
  EXPECT_EQ(roll.missing(), RankList{});
  EXPECT_EQ(roll.deadline(seconds(5)), std::nullopt);
  roll.left(Rank(3));
  EXPECT_EQ(roll.deserter(), std::nullopt) << "it had come";
}

TEST(RollCall, WhoLeavesWithoutComingIsADeserterOnceOthersWait) {
  RollCall roll = of_two_worlds();
  roll.left(Rank(2));
  roll.left(Rank(1));
  roll.came(Rank(0), at(1));
  EXPECT_EQ(roll.deserter(), Rank(2)) << "the first to leave";
  EXPECT_EQ(roll.missing(), RankList{}) << "nobody else is awaited";
}

TEST(Register, TellsTheFirstAndTheLastByItself) {
  Register here;
  here.expect(1, 4);
  EXPECT_EQ(here.came(1, Rank(2)), RankList{Rank(2)});
  EXPECT_EQ(here.came(1, Rank(0)), RankList{});
  EXPECT_EQ(here.came(1, Rank(0)), RankList{}) << "once";
  EXPECT_EQ(here.came(1, Rank(1)), RankList{});
  EXPECT_EQ(here.came(1, Rank(3)), (RankList{Rank(0), Rank(1), Rank(3)}));
}

TEST(Register, TellsTheRestWhenAsked) {
  Register here;
  here.expect(1, 4);
  here.expect(2, 3);
  EXPECT_EQ(here.untold(), RankList{});
  EXPECT_EQ(here.came(1, Rank(2)), RankList{Rank(2)});
  EXPECT_EQ(here.came(1, Rank(0)), RankList{});
  EXPECT_EQ(here.untold(), RankList{Rank(0)});
  EXPECT_EQ(here.untold(), RankList{});
  EXPECT_EQ(here.came(2, Rank(5)), RankList{Rank(5)}) << "each world has its first";
  EXPECT_EQ(here.came(3, Rank(9)), RankList{}) << "of no world that is expected";
}

}  // namespace
}  // namespace muster::machine
