// Opener: how many at a time, how often, how long.
#include "machine/opener.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

using base::Duration;
using base::Instant;
using base::NodeIndex;
using std::chrono::seconds;

constexpr Instant kNow{seconds(100)};

Opener opener_for(std::uint32_t nodes, std::uint32_t parallel) {
  Opener opener(parallel, seconds(15));
  for (std::uint32_t i = 0; i < nodes; ++i) opener.add(NodeIndex(i), kNow);
  return opener;
}

TEST(Opener, BoundsTheAttemptsAtTheSameTime) {
  Opener opener = opener_for(5, 2);
  EXPECT_EQ(opener.due(kNow), (std::vector{NodeIndex(0), NodeIndex(1)}));
  EXPECT_TRUE(opener.due(kNow).empty());
  opener.opened(NodeIndex(1));
  EXPECT_EQ(opener.due(kNow), std::vector{NodeIndex(2)});
  EXPECT_EQ(opener.waiting().size(), 4u);
}

TEST(Opener, TakesZeroAtATimeForOne) {
  Opener opener = opener_for(2, 0);
  EXPECT_EQ(opener.due(kNow).size(), 1u);
}

// How many attempts are made in all, and how long they take.
std::pair<std::uint32_t, Duration> attempts(Retry retry) {
  Opener opener = opener_for(1, 4);
  Instant now = kNow;
  std::uint32_t count = 0;
  while (opener.due(now).size() == 1) {
    ++count;
    if (!opener.again(NodeIndex(0), now, retry)) break;
    now = *opener.deadline();
  }
  return {count, std::chrono::duration_cast<Duration>(now - kNow)};
}

TEST(Opener, TriesAsOftenAsTheFailureIsWorth) {
  EXPECT_EQ(attempts(Retry::no), std::pair(1u, Duration(0)));
  const auto [briefly, seconds_briefly] = attempts(Retry::briefly);
  EXPECT_EQ(briefly, 4u);
  EXPECT_LE(seconds_briefly, seconds(3));
  const auto [patiently, seconds_patiently] = attempts(Retry::patiently);
  EXPECT_EQ(patiently, 24u);
  EXPECT_GT(seconds_patiently, seconds(20));
  EXPECT_LT(seconds_patiently, seconds(70));
}

TEST(Opener, WaitsBetweenAttempts) {
  Opener opener = opener_for(1, 4);
  ASSERT_EQ(opener.due(kNow).size(), 1u);
  ASSERT_TRUE(opener.again(NodeIndex(0), kNow, Retry::patiently));
  EXPECT_TRUE(opener.due(kNow).empty());
  const auto next = opener.deadline();
  ASSERT_TRUE(next);
  EXPECT_GE(*next, kNow + Duration(75)) << "half of the first pause, at least";
  EXPECT_LE(*next, kNow + Duration(225));
  EXPECT_EQ(opener.due(*next).size(), 1u);
}

TEST(Opener, HalvesTheAttemptsWhenABusyServerRefuses) {
  Opener opener = opener_for(20, 8);
  ASSERT_EQ(opener.due(kNow).size(), 8u);
  ASSERT_TRUE(opener.again(NodeIndex(0), kNow, Retry::briefly));
  EXPECT_EQ(opener.due(kNow).size(), 1u) << "its place is free";
  ASSERT_TRUE(opener.again(NodeIndex(1), kNow, Retry::patiently));
  EXPECT_TRUE(opener.due(kNow).empty()) << "7 under way, 4 allowed";
  for (std::uint32_t i = 2; i < 6; ++i) opener.opened(NodeIndex(i));
  EXPECT_EQ(opener.due(kNow).size(), 1u);
}

TEST(Opener, NeverHalvesToNothing) {
  Opener opener = opener_for(2, 1);
  ASSERT_EQ(opener.due(kNow).size(), 1u);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(opener.again(NodeIndex(0), kNow, Retry::patiently));
    opener.opened(NodeIndex(1));
    EXPECT_EQ(opener.due(*opener.deadline()).size(), 1u);
  }
}

TEST(Opener, NamesAttemptsThatLastTooLong) {
  Opener opener = opener_for(2, 1);
  ASSERT_EQ(opener.due(kNow).size(), 1u);
  EXPECT_EQ(opener.deadline(), kNow + seconds(15)) << "no room: the other node sets no deadline";
  EXPECT_TRUE(opener.overdue(kNow + Duration(14'999)).empty());
  EXPECT_EQ(opener.overdue(kNow + seconds(15)), std::vector{NodeIndex(0)});
}

TEST(Opener, HasNoDeadlineWhenAllAreOpen) {
  Opener opener = opener_for(1, 1);
  ASSERT_EQ(opener.due(kNow).size(), 1u);
  opener.opened(NodeIndex(0));
  EXPECT_FALSE(opener.deadline());
  EXPECT_FALSE(opener.again(NodeIndex(0), kNow, Retry::patiently)) << "it is open already";
}

}  // namespace
}  // namespace muster::machine
