// Prefixes of output lines.
#include "view/prefix.hpp"

#include <gtest/gtest.h>

namespace muster::view {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::sys_days;

constexpr sys_days kDay = std::chrono::year(2026) / 11 / 21;
constexpr auto kMorning = kDay + std::chrono::hours(10) + milliseconds(123);

[[nodiscard]] std::string prefix(const model::OutputSpec& output, std::uint32_t rank,
                                 std::uint32_t world_size,
                                 std::chrono::system_clock::time_point now = kMorning) {
  std::string out = "x";
  append_prefix(out, output, base::Rank(rank), {1, base::Rank(0), world_size}, now);
  return out.substr(1);
}

[[nodiscard]] model::OutputSpec tagged() { return {.tag = true, .timestamp = false, .logs = ""}; }
[[nodiscard]] model::OutputSpec stamped() { return {.tag = false, .timestamp = true, .logs = ""}; }

TEST(Prefix, IsNothingUnlessAsked) { EXPECT_EQ(prefix({}, 3, 8), ""); }

TEST(Prefix, PadsRanksToTheWidthOfTheLargest) {
  EXPECT_EQ(prefix(tagged(), 3, 8), "[3] ");
  EXPECT_EQ(prefix(tagged(), 3, 10), "[3] ");
  EXPECT_EQ(prefix(tagged(), 3, 11), "[03] ");
  EXPECT_EQ(prefix(tagged(), 10, 11), "[10] ");
  EXPECT_EQ(prefix(tagged(), 0, 1), "[0] ");
  EXPECT_EQ(prefix(tagged(), 999'999, model::kRanksMax), "[999999] ");
  EXPECT_EQ(prefix(tagged(), 0, model::kRanksMax), "[000000] ");
  EXPECT_EQ(prefix(tagged(), 4'294'967'295u, 1), "[4294967295] ");
}

TEST(Prefix, WritesTimesInUtc) {
  EXPECT_EQ(prefix(stamped(), 3, 8), "2026-11-21T10:00:00.123Z ");
  EXPECT_EQ(prefix(stamped(), 3, 8, kDay - milliseconds(1)), "2026-11-20T23:59:59.999Z ");
  EXPECT_EQ(prefix(stamped(), 3, 8, sys_days(days(0))), "1970-01-01T00:00:00.000Z ");
  EXPECT_EQ(prefix(stamped(), 3, 8, sys_days(days(0)) - milliseconds(1)),
            "1969-12-31T23:59:59.999Z ");
  EXPECT_EQ(prefix(stamped(), 3, 8, sys_days(std::chrono::year(2028) / 2 / 29)),
            "2028-02-29T00:00:00.000Z ");
}

TEST(Prefix, TimeComesBeforeRank) {
  EXPECT_EQ(prefix({.tag = true, .timestamp = true, .logs = ""}, 3, 16),
            "2026-11-21T10:00:00.123Z [03] ");
}

TEST(Prefix, ShowsTheWorldOfSpawnedRanks) {
  std::string out;
  append_prefix(out, tagged(), base::Rank(15), {2, base::Rank(5), 11}, kMorning);
  EXPECT_EQ(out, "[2:10] ");
  out.clear();
  append_prefix(out, tagged(), base::Rank(4'294'967'295u),
                {4'294'967'295u, base::Rank(0), 4'294'967'295u}, kMorning);
  EXPECT_EQ(out, "[4294967295:4294967295] ");
}

}  // namespace
}  // namespace muster::view
