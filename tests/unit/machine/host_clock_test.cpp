// Clocks of two hosts, and which of their ranks was the first to end.
#include "machine/host_clock.hpp"

#include <gtest/gtest.h>

#include "machine/first_deaths.hpp"

namespace muster::machine::clocks {
namespace {

using base::Instant;
using base::NodeIndex;
using base::Rank;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kNow{seconds(1000)};
constexpr seconds kBehind{700};  // their clock

TEST(HostClockTest, NothingIsKnownBeforeAnAnswer) {
  const HostClock clock;
  EXPECT_EQ(clock.when(kNow, kNow), std::nullopt);
}

TEST(HostClockTest, OursIsExact) {
  HostClock clock;
  clock.is_ours();
  const Instant later = kNow + std::chrono::hours(10);
  EXPECT_EQ(clock.when(kNow, later), (Window{kNow, kNow}));
  EXPECT_EQ(clock.when(Instant{}, later), std::nullopt) << "not told";
}

// There in 1 ms, 20 ms to answer, back in 3 ms: only the ways leave something open.
TEST(HostClockTest, TheTimeThatAnAnswerTakesDoesNoHarm) {
  HostClock clock;
  const Instant theirs = kNow - kBehind;
  clock.heard(kNow, theirs + milliseconds(1), theirs + milliseconds(21), kNow + milliseconds(24));
  EXPECT_EQ(clock.when(theirs + milliseconds(22), kNow + milliseconds(24)),
            (Window{kNow + milliseconds(21), kNow + milliseconds(24)}))
      << "it was 22, and is heard of at 24";
}

TEST(HostClockTest, AnAnswerThatTookLongerThanTheExchangeLeavesNothingKnown) {
  HostClock clock;
  const Instant theirs = kNow - kBehind;
  const Instant jumped = theirs + seconds(1000);
  clock.heard(kNow, theirs, jumped, kNow + milliseconds(2));
  EXPECT_EQ(clock.when(jumped, kNow + milliseconds(2)), std::nullopt);
  const Instant later = kNow + seconds(1);
  clock.heard(later, jumped, jumped, later + milliseconds(2));
  EXPECT_EQ(clock.when(jumped, later + milliseconds(2)), (Window{later, later + milliseconds(2)}));
  clock.heard(later, jumped, theirs + std::chrono::hours(90000), later);
  EXPECT_EQ(clock.when(jumped, later), std::nullopt) << "what was known is of another clock";
}

TEST(HostClockTest, EveryAnswerNarrowsTheBoundsAndTimeWidensThem) {
  HostClock clock;
  const Instant theirs = kNow - kBehind;
  clock.heard(kNow, theirs + milliseconds(40), theirs + milliseconds(40), kNow + milliseconds(41));
  const Instant second = kNow + seconds(2);
  const Instant then = second - kBehind + milliseconds(1);
  clock.heard(second, then, then, second + milliseconds(60));
  const Instant asked = second + seconds(1);
  const auto window = clock.when(asked - kBehind, asked);
  ASSERT_TRUE(window);
  // From below by the second, which took 1 ms there; from above by the first, 1 ms back, and 3 s.
  EXPECT_EQ(window->latest, asked) << "nothing is heard of before it has happened";
  EXPECT_GE(window->earliest, asked - milliseconds(2));
  EXPECT_LE(window->earliest, asked - milliseconds(1));
  const auto later = clock.when(asked - kBehind, asked + seconds(2000));
  EXPECT_LT(later->earliest, asked - milliseconds(990)) << "a second in 2000";
  EXPECT_GT(later->latest, asked + milliseconds(990));
}

TEST(HostClockTest, AClockThatStoodStillIsLearntAnew) {
  HostClock clock;
  clock.heard(kNow, kNow, kNow, kNow + milliseconds(1));
  const Instant later = kNow + seconds(20);
  const Instant theirs = later - seconds(10);
  clock.heard(later, theirs, theirs, later + milliseconds(1));
  EXPECT_EQ(clock.when(theirs, later + milliseconds(1)), (Window{later, later + milliseconds(1)}));
}

TEST(HostClockTest, NonsenseStaysWithinItsBounds) {
  HostClock clock;
  const Instant most = from_wire(std::uint64_t{1} << 52);
  clock.heard(kNow, most, Instant{microseconds(1)}, kNow + milliseconds(1));
  const auto window = clock.when(most, kNow + milliseconds(1));
  ASSERT_TRUE(window);
  EXPECT_LE(window->earliest, window->latest);
  EXPECT_LE(window->latest, kNow + milliseconds(1));
}

TEST(HostClockTest, InstantsTravelInMicroseconds) {
  EXPECT_EQ(from_wire(to_wire(kNow)), kNow);
  EXPECT_EQ(to_wire(Instant{}), 1U) << "0 would mean that it is not told";
}

// ---- first deaths -------------------------------------------------------------------------------

Death death(std::uint32_t rank, std::uint32_t node, milliseconds from, milliseconds to,
            std::int32_t code = 1) {
  Death made{{}, NodeIndex(node), Window{kNow + from, kNow + to}, {}};
  made.exit.rank = Rank(rank);
  made.exit.code = code;
  return made;
}

std::vector<std::uint32_t> ranks(const FirstDeaths& deaths) {
  std::vector<std::uint32_t> found;
  for (const Death* one : deaths.first()) found.push_back(one->exit.rank.value);
  return found;
}

using Ranks = std::vector<std::uint32_t>;

TEST(FirstDeathsTest, TheEarlierOneIsFirstWhoeverIsHeardFirst) {
  FirstDeaths deaths;
  EXPECT_EQ(ranks(deaths), Ranks{});
  deaths.add(death(2, 1, milliseconds(10), milliseconds(11)));
  EXPECT_EQ(ranks(deaths), Ranks{2});
  deaths.add(death(0, 0, milliseconds(2), milliseconds(3)));
  EXPECT_EQ(ranks(deaths), Ranks{0});
}

TEST(FirstDeathsTest, ThoseThatCannotBeToldApartAreNamedTogether) {
  FirstDeaths deaths;
  deaths.add(death(4, 2, milliseconds(4), milliseconds(7), 3));
  deaths.add(death(2, 1, milliseconds(3), milliseconds(5), 9));
  deaths.add(death(0, 0, milliseconds(2), milliseconds(6), 3));
  deaths.add(death(6, 3, milliseconds(8), milliseconds(9), 77));
  EXPECT_EQ(ranks(deaths), (Ranks{2, 0, 4})) << "the highest code decides, then the lowest rank";
  EXPECT_EQ(FirstDeaths::spread(deaths.first()), milliseconds(7) - milliseconds(2) + kNoticeTime);
}

TEST(FirstDeathsTest, AHostKnowsTheOrderOfItsOwn) {
  FirstDeaths deaths;
  deaths.add(death(1, 0, milliseconds(1), milliseconds(2)));
  deaths.add(death(0, 0, milliseconds(1), milliseconds(2), 9));
  EXPECT_EQ(ranks(deaths), Ranks{1});
}

TEST(FirstDeathsTest, WithAClockThatIsNotKnownTheFirstHeardCounts) {
  FirstDeaths deaths;
  deaths.add(death(5, 1, milliseconds(10), milliseconds(11)));
  Death untold = death(0, 0, milliseconds(0), milliseconds(0));
  untold.when.reset();
  deaths.add(untold);
  EXPECT_EQ(ranks(deaths), Ranks{5});
}

}  // namespace
}  // namespace muster::machine::clocks
