// Patterns: each field, its width, and times in both zones.
#include "view/pattern.hpp"

#include <gtest/gtest.h>

namespace muster::view {
namespace {

using model::Field;
using model::Stream;
using model::Width;
using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::sys_days;

constexpr sys_days kDay = std::chrono::year(2026) / 11 / 21;
constexpr auto kMorning = kDay + std::chrono::hours(10) + milliseconds(123);

[[nodiscard]] std::string said(const model::Pattern& pattern, const Speaker& speaker,
                               Stream stream = Stream::out) {
  std::string out = "x";
  append_pattern(out, pattern, speaker, stream, {kMorning});
  return out.substr(1);
}

[[nodiscard]] std::string rank(std::uint32_t number, std::uint32_t size, Width width) {
  return said({{Field::rank, {}, width}}, {.world = {1, base::Rank(0), size}, .rank = number});
}

[[nodiscard]] std::string time(Field field, WallTime when) {
  std::string out;
  append_pattern(out, {{field}}, {}, Stream::out, when);
  return out;
}

TEST(Pattern, OfNothingIsNothing) { EXPECT_EQ(said({}, {}), ""); }

TEST(Pattern, PadsRanksToTheWidthOfTheLargest) {
  EXPECT_EQ(rank(3, 8, Width::largest), "3");
  EXPECT_EQ(rank(3, 10, Width::largest), "3");
  EXPECT_EQ(rank(3, 11, Width::largest), "03");
  EXPECT_EQ(rank(10, 11, Width::largest), "10");
  EXPECT_EQ(rank(0, 1, Width::largest), "0");
  EXPECT_EQ(rank(999'999, 1'000'000, Width::largest), "999999");
  EXPECT_EQ(rank(0, 1'000'000, Width::largest), "000000");
  EXPECT_EQ(rank(4'294'967'295u, 1, Width::largest), "4294967295");
}

TEST(Pattern, PadsRanksAsOpenMpiDoes) {
  EXPECT_EQ(rank(3, 9, Width::size), "3");
  EXPECT_EQ(rank(3, 10, Width::size), "03");
  EXPECT_EQ(rank(3, 100, Width::size), "003");
  EXPECT_EQ(rank(3, 100, Width::own), "3");
}

TEST(Pattern, KnowsWhoSpeaks) {
  const Speaker first{.world = {1, base::Rank(0), 4}, .rank = 2, .local_rank = 1, .host = "h"};
  const Speaker other{.world = {2, base::Rank(4), 4},
                      .rank = 2,
                      .local_rank = 1,
                      .node = 3,
                      .attempt = 5,
                      .host = "h",
                      .role = "r"};
  const model::Pattern all = {{Field::world},      {Field::text, ","}, {Field::group},
                              {Field::text, ","},  {Field::rank},      {Field::text, ","},
                              {Field::local_rank}, {Field::text, ","}, {Field::node},
                              {Field::text, ","},  {Field::host},      {Field::text, ","},
                              {Field::role},       {Field::text, ","}, {Field::attempt},
                              {Field::text, ","},  {Field::stream}};
  EXPECT_EQ(said(all, first), "1,0,2,1,0,h,,0,stdout");
  EXPECT_EQ(said(all, other, Stream::err), "2,1,2,1,3,h,r,5,stderr");
  const model::Pattern folder = {{Field::spawned, "/"}, {Field::rank}, {Field::other_node, "_"}};
  EXPECT_EQ(said(folder, first), "2");
  EXPECT_EQ(said(folder, other), "2/2_3");
}

TEST(Pattern, WritesTimesInUtc) {
  EXPECT_EQ(time(Field::utc, {kMorning}), "2026-11-21T10:00:00.123Z");
  EXPECT_EQ(time(Field::utc, {kDay - milliseconds(1)}), "2026-11-20T23:59:59.999Z");
  EXPECT_EQ(time(Field::utc, {sys_days(days(0))}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(time(Field::utc, {sys_days(days(0)) - milliseconds(1)}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(time(Field::utc, {sys_days(std::chrono::year(2028) / 2 / 29)}),
            "2028-02-29T00:00:00.000Z");
}

TEST(Pattern, WritesLocalTimesAsCtimeDoes) {
  EXPECT_EQ(time(Field::local_time, {kMorning}), "Sat Nov 21 10:00:00 2026");
  EXPECT_EQ(time(Field::local_time, {kMorning, std::chrono::hours(-11)}),
            "Fri Nov 20 23:00:00 2026");
  EXPECT_EQ(time(Field::local_time, {sys_days(std::chrono::year(2028) / 2 / 3)}),
            "Thu Feb  3 00:00:00 2028");
}

TEST(Pattern, SaysWhetherItTellsTheTime) {
  EXPECT_FALSE(tells_time({{Field::rank}}));
  EXPECT_TRUE(tells_time({{Field::rank}, {Field::utc}}));
  EXPECT_TRUE(tells_time({{Field::local_time}}));
}

}  // namespace
}  // namespace muster::view
