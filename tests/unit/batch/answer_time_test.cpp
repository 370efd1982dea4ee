// Times as batch systems write them.
#include "batch/answer_time.hpp"

#include <gtest/gtest.h>

namespace muster::batch {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::chrono::sys_days kFifth{std::chrono::November / 5 / 2026};

TEST(ZonedTime, IsThatOfItsZone) {
  EXPECT_EQ(zoned_time("2026-11-05T00:30:05+0100"), kFifth - minutes(30) + seconds(5));
  EXPECT_EQ(zoned_time("2026-11-04T19:00:00-0530"), kFifth + minutes(30));
}

TEST(CtimeTime, IsThatOfUtc) {
  EXPECT_EQ(ctime_time("Thu Nov  5 17:08:45 2026"), kFifth + hours(17) + seconds(525));
  EXPECT_EQ(ctime_time("Wed Nov 25 17:08:45 2026"),
            kFifth + std::chrono::days(20) + hours(17) + seconds(525));
}

TEST(AnswerTime, IsNothingForOtherForms) {
  for (const char* text :
       {"", "Unknown", "N/A", "2026-11-05T00:30:05", "2026-11-05T00:30:05 0100",
        "2026-13-05T00:30:05+0100", "2026-02-30T00:30:05+0100", "2026-11-05T0x:30:05+0100",
        "Thu Nob  5 17:08:45 2026", "Thu ovD  5 17:08:45 2026", "Thu Nov  x 17:08:45 2026",
        "11/05/2026 17:08:45.1234"}) {
    EXPECT_EQ(zoned_time(text), std::nullopt) << text;
    EXPECT_EQ(ctime_time(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace muster::batch
