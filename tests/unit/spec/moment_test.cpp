// Points of time as people write them.
#include "spec/moment.hpp"

#include <gtest/gtest.h>

namespace muster::spec::moment_test {
namespace {

using namespace std::chrono;

// 2026-11-28 14:30:00 UTC
constexpr UtcTime kNow = sys_days(year(2026) / 11 / 28) + hours(14) + minutes(30);

// In a zone that is so far east of UTC; nothing for what is no time.
std::optional<UtcTime> read(std::string_view text, hours east = hours(0)) {
  const auto moment = read_moment("--since", text);
  if (!moment) return std::nullopt;
  return utc_of(*moment, kNow, [&](UtcTime) { return seconds(east); });
}

TEST(Moment, IsHowLongAgo) {
  EXPECT_EQ(read("10m"), kNow - minutes(10));
  EXPECT_EQ(read("2h"), kNow - hours(2));
  EXPECT_EQ(read("1h30m"), kNow - minutes(90));
  EXPECT_EQ(read("0s"), kNow);
  EXPECT_EQ(read("1w2d"), kNow - days(9));
}

TEST(Moment, IsATimeOfTheLastDayThatHasHadIt) {
  EXPECT_EQ(read("14:30"), kNow);
  EXPECT_EQ(read("14:29:58.5"), kNow - milliseconds(1500));
  EXPECT_EQ(read("14:31"), kNow - hours(24) + minutes(1));
  EXPECT_EQ(read("16:00", hours(2)), kNow - minutes(30));
  EXPECT_EQ(read("00:10", hours(10)), kNow - minutes(20)) << "tomorrow there";
}

TEST(Moment, IsADate) {
  const UtcTime midnight = sys_days(year(2026) / 11 / 27);
  EXPECT_EQ(read("2026-11-27"), midnight);
  EXPECT_EQ(read("2026-11-27", hours(2)), midnight - hours(2));
  EXPECT_EQ(read("2026-11-27 10:00"), midnight + hours(10));
  EXPECT_EQ(read("2026-11-27T10:00:01.125Z", hours(5)), midnight + hours(10) + milliseconds(1125));
  EXPECT_EQ(read("2026-11-27t10:00:00+01:30"), midnight + hours(8) + minutes(30));
  EXPECT_EQ(read("2026-11-27T10:00:00-01:00"), midnight + hours(11));
  EXPECT_EQ(read("2030-01-01"), UtcTime(sys_days(year(2030) / 1 / 1))) << "nothing yet";
}

TEST(Moment, IsNothingElse) {
  for (const char* text : {"",
                           "10",
                           "m",
                           "10x",
                           "10 m",
                           "-10m",
                           "1.5h",
                           "99999m",
                           "25:00",
                           "14:3",
                           "14:30:",
                           "14:30:61",
                           "14:30:00.",
                           "14:30Z",
                           "2026-11",
                           "2026-02-30",
                           "26-11-28",
                           "2026-11-28T",
                           "2026-11-28T14",
                           "2026-11-28T14:30:00+1",
                           "2026-11-28T14:30:00ZZ",
                           "2026-11-28  14:30",
                           "yesterday",
                           "10m ago"}) {
    EXPECT_FALSE(read(text)) << text;
  }
}

// Summer time ends at 01:00 UTC: 02:30 is there twice, and either will do.
TEST(Moment, KnowsThatZonesChange) {
  const UtcTime change = sys_days(year(2026) / 10 / 25) + hours(1);
  const auto zone = [&](UtcTime time) { return seconds(time < change ? hours(2) : hours(1)); };
  const auto at = [&](std::string_view text) { return utc_of(*read_moment("", text), kNow, zone); };
  EXPECT_EQ(at("2026-10-25 01:30"), change - minutes(90));
  EXPECT_EQ(at("2026-10-25 03:30"), change + minutes(90));
  EXPECT_EQ(at("2026-10-24"), UtcTime(sys_days(year(2026) / 10 / 23)) + hours(22));
}

}  // namespace
}  // namespace muster::spec::moment_test
