// TimeLimit: notice once, then the end, which waits for those that were asked.
#include "machine/time_limit.hpp"

#include <concepts>
#include <gtest/gtest.h>

namespace muster::machine::time_limit_test {
namespace {

using base::Instant;
using std::chrono::seconds;

static_assert(std::equality_comparable<TimeLimit> && std::copyable<TimeLimit>);

constexpr Instant kStart{seconds(100)};

TEST(TimeLimit, IsNeverUpWithoutOne) {
  TimeLimit none(std::nullopt, std::nullopt);
  none.start(kStart);
  EXPECT_FALSE(none.next());
  EXPECT_FALSE(none.is_up(kStart + seconds(1'000'000)));
}

TEST(TimeLimit, GivesNoticeOnceAndEnds) {
  TimeLimit limit(seconds(10), model::Notice{10, seconds(4)});
  limit.start(kStart);
  EXPECT_EQ(limit.next(), kStart + seconds(6));
  EXPECT_FALSE(limit.give_notice(kStart + seconds(5)));
  EXPECT_TRUE(limit.give_notice(kStart + seconds(6)));
  EXPECT_FALSE(limit.give_notice(kStart + seconds(7)));
  EXPECT_EQ(limit.next(), kStart + seconds(10));
  EXPECT_FALSE(limit.is_up(kStart + seconds(9)));
  EXPECT_TRUE(limit.is_up(kStart + seconds(10)));
}

TEST(TimeLimit, GivesNoticeOfAnAllocationsEndWhichIsNotItsOwn) {
  TimeLimit limit(std::nullopt, model::Notice{10, seconds(4)});
  limit.start(kStart);
  EXPECT_FALSE(limit.next());
  limit.allocation_ends(kStart + seconds(20), kStart + seconds(1));
  EXPECT_EQ(limit.next(), kStart + seconds(16));
  EXPECT_TRUE(limit.give_notice(kStart + seconds(16)));
  EXPECT_FALSE(limit.next());
  EXPECT_FALSE(limit.is_allocation_over(kStart + seconds(19)));
  EXPECT_TRUE(limit.is_allocation_over(kStart + seconds(20)));
  EXPECT_FALSE(limit.is_up(kStart + seconds(100)));
  limit.check();
}

TEST(TimeLimit, GivesNoticeOfWhatComesFirst) {
  TimeLimit limit(seconds(10), model::Notice{10, seconds(4)});
  limit.start(kStart);
  limit.allocation_ends(kStart + seconds(20), kStart);
  EXPECT_EQ(limit.next(), kStart + seconds(6));
  limit.allocation_ends(kStart + seconds(8), kStart);
  EXPECT_EQ(limit.next(), kStart + seconds(4));
  limit.check();
}

TEST(TimeLimit, GivesNoNoticeOfAnEndThatIsTooNear) {
  TimeLimit limit(std::nullopt, model::Notice{10, seconds(4)});
  limit.start(kStart);
  limit.allocation_ends(kStart + seconds(3), kStart);
  EXPECT_FALSE(limit.next());
}

TEST(TimeLimit, WaitsForAnswersButNotForEver) {
  TimeLimit limit(seconds(10), std::nullopt);
  limit.start(kStart);
  const Instant up = kStart + seconds(10);
  limit.ask(2, up);
  EXPECT_FALSE(limit.is_up(up + seconds(29)));
  EXPECT_FALSE(limit.answered());
  EXPECT_EQ(limit.unanswered(), 1U);
  EXPECT_TRUE(limit.answered());
  EXPECT_FALSE(limit.answered()) << "nobody was asked for this one";
  EXPECT_TRUE(limit.is_up(up + seconds(30)));
}

}  // namespace
}  // namespace muster::machine::time_limit_test
