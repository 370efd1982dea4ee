// ReaderPatience: how long a reader that stands still is waited for while a run is being stopped.
#include "machine/reader_patience.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

using base::Duration;
using base::Instant;

constexpr Duration kGrace = std::chrono::seconds(5);
constexpr Instant kStart{std::chrono::seconds(100)};

class Patience : public testing::Test {
 protected:
  void look_at(Duration after_start, std::uint64_t taken, bool waits = true) {
    patience_.look(kStart + after_start, {taken, waits});
  }
  // After the start, or -1.
  [[nodiscard]] std::int64_t deadline() const {
    const auto at = patience_.deadline();
    return at ? std::chrono::duration_cast<Duration>(*at - kStart).count() : -1;
  }

  ReaderPatience patience_;
};

TEST_F(Patience, IsEndlessWhileNobodyIsTold) {
  patience_.only_reader_left(kStart, {0, true});
  look_at(std::chrono::hours(1), 0);
  EXPECT_EQ(deadline(), -1);
  EXPECT_FALSE(patience_.over());
}

TEST_F(Patience, WithASilentReaderLastsForTheGrace) {
  patience_.stop(kGrace, kStart, {7, true});
  EXPECT_EQ(deadline(), 5000);
  look_at(kGrace - Duration(1), 7);
  EXPECT_FALSE(patience_.over());
  look_at(kGrace, 7);
  EXPECT_TRUE(patience_.over());
  EXPECT_EQ(deadline(), -1);
  patience_.only_reader_left(kStart + kGrace, {7, true});
  EXPECT_TRUE(patience_.over());
}

TEST_F(Patience, LastsForAMomentFromTheSecondSignalOn) {
  patience_.stop(kGrace, kStart, {7, true});
  patience_.stop(Duration(0), kStart + Duration(1000), {7, true});
  EXPECT_EQ(deadline(), 3000);
  look_at(Duration(3000), 7);
  EXPECT_TRUE(patience_.over());
}

TEST_F(Patience, IsNotProlongedByBeingToldAgain) {
  patience_.stop(kGrace, kStart, {7, true});
  patience_.stop(kGrace, kStart + Duration(1000), {7, true});
  EXPECT_EQ(deadline(), 5000);
}

TEST_F(Patience, LastsLongerWithOneThatReadsOnButNotForEver) {
  patience_.stop(kGrace, kStart, {7, true});
  look_at(kGrace, 8);
  EXPECT_FALSE(patience_.over());
  EXPECT_EQ(deadline(), 7000);
  look_at(Duration(7000), 9);
  EXPECT_TRUE(patience_.over());
}

TEST_F(Patience, LastsAsLongAsItReadsOnceNothingElseIsAwaited) {
  patience_.stop(kGrace, kStart, {7, true});
  look_at(kGrace, 8);
  look_at(Duration(7000), 9);
  patience_.only_reader_left(kStart + Duration(7500), {9, true});
  EXPECT_FALSE(patience_.over());
  look_at(Duration(9500), 10);
  look_at(Duration(11500), 11);
  EXPECT_FALSE(patience_.over());
  look_at(Duration(13500), 11);
  EXPECT_TRUE(patience_.over());
}

TEST_F(Patience, IsNotLostWithOneThatHasTakenAll) {
  patience_.stop(kGrace, kStart, {7, false});
  look_at(kGrace, 7, false);
  EXPECT_FALSE(patience_.over());
}

}  // namespace
}  // namespace muster::machine
