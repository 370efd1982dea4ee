// Which records go, against a deliberately naive twin that looks at all of them again each time.
#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "model/retention.hpp"

namespace muster::model::model_retention_test {
namespace {

using Left = std::set<std::size_t>;

Utc day(int number) { return Utc(std::chrono::days(20'000 + number)); }

std::uint64_t bytes_left(const Holdings& holdings, const Left& left) {
  std::uint64_t bytes = 0;
  std::set<std::size_t> contents;
  for (const std::size_t i : left) {
    bytes += holdings.records[i].bytes;
    contents.insert(holdings.records[i].contents.begin(), holdings.records[i].contents.end());
  }
  for (const std::size_t content : contents) bytes += holdings.contents[content];
  return bytes;
}

std::optional<std::size_t> who_needs(const Holdings& holdings, const Left& left, std::size_t i) {
  for (const std::size_t other : left) {
    if (std::ranges::count(holdings.records[other].needs, i) > 0) return other;
  }
  return std::nullopt;
}

bool is_due(const Holdings& holdings, const Bounds& bounds, const Left& left, std::size_t i,
            Utc now) {
  if (bounds.older_than && now - holdings.records[i].ended >= *bounds.older_than) return true;
  return bounds.bytes && bytes_left(holdings, left) > *bounds.bytes;
}

std::optional<std::size_t> next(const Holdings& holdings, const Bounds& bounds, const Left& left,
                                Utc now) {
  std::optional<std::size_t> oldest;
  for (const std::size_t i : left) {
    const bool may = holdings.records[i].may_go && !who_needs(holdings, left, i);
    if (!may) continue;
    if (!oldest || holdings.records[i].ended < holdings.records[*oldest].ended) oldest = i;
  }
  return oldest && is_due(holdings, bounds, left, *oldest, now) ? oldest : std::nullopt;
}

Left all_of(const Holdings& holdings) {
  Left left;
  for (std::size_t i = 0; i < holdings.records.size(); ++i) left.insert(i);
  return left;
}

Holdings drawn() {
  Holdings holdings;
  const std::size_t contents = *rc::gen::inRange<std::size_t>(0, 5);
  const std::size_t records = *rc::gen::inRange<std::size_t>(0, 9);
  for (std::size_t i = 0; i < contents; ++i) {
    holdings.contents.push_back(*rc::gen::inRange<std::uint64_t>(0, 100));
  }
  for (std::size_t i = 0; i < records; ++i) {
    HeldRecord& record = holdings.records.emplace_back();
    record.bytes = *rc::gen::inRange<std::uint64_t>(0, 100);
    record.ended = day(*rc::gen::inRange(0, 6));
    record.may_go = *rc::gen::inRange(0, 4) > 0;
    for (std::size_t other = 0; other < records; ++other) {  // circles, too
      if (other != i && *rc::gen::inRange(0, 8) == 0) record.needs.push_back(other);
    }
    for (std::size_t content = 0; content < contents; ++content) {
      if (*rc::gen::inRange(0, 3) == 0) record.contents.push_back(content);
    }
  }
  return holdings;
}

Bounds drawn_bounds() {
  Bounds bounds;
  if (*rc::gen::arbitrary<bool>()) {
    bounds.older_than = std::chrono::days(*rc::gen::inRange(0, 8));
  }
  if (*rc::gen::arbitrary<bool>()) bounds.bytes = *rc::gen::inRange<std::uint64_t>(0, 600);
  return bounds;
}

RC_GTEST_PROP(Retention, IsWhatTheNaiveTwinDoes, ()) {
  const Holdings holdings = drawn();
  const Bounds bounds = drawn_bounds();
  const Utc now = day(7);
  Left left = all_of(holdings);
  std::vector<std::size_t> go;
  while (const auto one = next(holdings, bounds, left, now)) {
    go.push_back(*one);
    left.erase(*one);
  }
  const Departures found = departures(holdings, bounds, now);
  RC_ASSERT(found.go == go);
  RC_ASSERT(found.left == bytes_left(holdings, left));
}

RC_GTEST_PROP(Retention, NothingThatIsNeededOrLiveGoes, ()) {
  const Holdings holdings = drawn();
  const Bounds bounds = drawn_bounds();
  const Departures found = departures(holdings, bounds, day(7));
  Left left = all_of(holdings);
  for (const std::size_t i : found.go) {
    RC_ASSERT(holdings.records[i].may_go);
    RC_ASSERT(left.erase(i) == 1U);
    RC_ASSERT(!who_needs(holdings, left, i));
  }
  for (const NeededRecord& one : found.needed) {
    RC_ASSERT(left.contains(one.record) && left.contains(one.by));
    RC_ASSERT(who_needs(holdings, left, one.record) == one.by);
  }
  const bool fits = !bounds.bytes || found.left <= *bounds.bytes;
  for (const std::size_t i : left) {  // what stays, and need not, is explained
    const bool explained = std::ranges::count(found.needed, i, &NeededRecord::record) > 0;
    if (!fits && holdings.records[i].may_go) RC_ASSERT(explained);
  }
  if (bounds.says_nothing()) RC_ASSERT(found.go.empty() && found.needed.empty());
}

RC_GTEST_PROP(Retention, OfACacheTheLeastUsedGo, ()) {
  std::vector<CachedContent> contents(*rc::gen::inRange<std::size_t>(0, 9));
  for (CachedContent& one : contents) {
    one.bytes = *rc::gen::inRange<std::uint64_t>(0, 50);
    one.used = day(*rc::gen::inRange(0, 5));
  }
  const auto budget = *rc::gen::inRange<std::uint64_t>(0, 300);
  std::vector<bool> goes(contents.size());
  std::uint64_t left = 0;
  for (const CachedContent& one : contents) left += one.bytes;
  for (const std::size_t i : least_used(contents, budget)) {
    RC_ASSERT(left > budget);  // until then nothing more needed to go
    RC_ASSERT(!goes[i]);
    goes[i] = true;
    left -= contents[i].bytes;
  }
  RC_ASSERT(left <= budget);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    for (std::size_t j = 0; j < contents.size(); ++j) {
      if (goes[i] && !goes[j]) RC_ASSERT(contents[i].used <= contents[j].used);
    }
  }
}

TEST(Retention, ContentsGoWithTheLastThatNamesThem) {
  Holdings holdings;
  holdings.contents = {50, 7};
  holdings.records = {
      {1, day(1), true, {}, {0}}, {1, day(2), true, {}, {0}}, {1, day(3), true, {}, {1}}};
  const Departures found = departures(holdings, {.bytes = 58}, day(9));
  EXPECT_EQ(found.go, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(found.left, 8U);
}

TEST(Retention, WhatIsReusedStaysAsLongAsItsUser) {
  Holdings holdings;
  holdings.records = {
      {10, day(1), true, {}, {}}, {10, day(2), true, {}, {}}, {10, day(3), true, {0}, {}}};
  Departures found = departures(holdings, {.bytes = 20}, day(9));
  EXPECT_EQ(found.go, std::vector<std::size_t>{1});
  EXPECT_EQ(found.needed, (std::vector<NeededRecord>{{0, 2}}));
  found = departures(holdings, {.older_than = std::chrono::days(5)}, day(9));
  EXPECT_EQ(found.go, (std::vector<std::size_t>{1, 2, 0}));
}

}  // namespace
}  // namespace muster::model::model_retention_test
