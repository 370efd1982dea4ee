// Sets of hosts, against plain sets of numbers.
#include "wire/address.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace muster::wire::address_test {
namespace {

using base::NodeIndex;

constexpr std::uint32_t kHosts = 40;

HostSet made(const std::set<std::uint32_t>& numbers) {
  HostSet hosts;
  for (const std::uint32_t one : numbers) hosts.add(NodeIndex(one));
  return hosts;
}

std::set<std::uint32_t> drawn(std::mt19937& random) {
  std::set<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < kHosts; ++i) {
    if (random() % 3 != 0) numbers.insert(i);
  }
  return numbers;
}

TEST(HostSet, NeighboursAreOneRange) {
  const HostSet hosts = made({0, 1, 2, 5, 7, 8});
  EXPECT_EQ(hosts.ranges(), (std::vector<HostSet::Range>{{0, 2}, {5, 5}, {7, 8}}));
}

TEST(HostSet, TakesRangesInOrderOnly) {
  HostSet hosts;
  EXPECT_TRUE(hosts.add(HostSet::Range{3, 5}));
  EXPECT_FALSE(hosts.add(HostSet::Range{6, 7})) << "it touches";
  EXPECT_FALSE(hosts.add(HostSet::Range{5, 9}));
  EXPECT_FALSE(hosts.add(HostSet::Range{9, 8}));
  EXPECT_TRUE(hosts.add(HostSet::Range{7, 7}));
}

// A relay passes on what it has behind it.
TEST(HostSet, ContainsAndCutsAsSetsDo) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto one = drawn(random), two = drawn(random);
    std::set<std::uint32_t> both;
    for (std::uint32_t i = 0; i < kHosts; ++i) {
      EXPECT_EQ(made(one).contains(NodeIndex(i)), one.contains(i));
      if (one.contains(i) && two.contains(i)) both.insert(i);
    }
    const HostSet cut = made(one) & made(two);
    for (std::uint32_t i = 0; i < kHosts; ++i) {
      EXPECT_EQ(cut.contains(NodeIndex(i)), both.contains(i));
    }
    EXPECT_EQ(cut.empty(), both.empty());
  }
}

}  // namespace
}  // namespace muster::wire::address_test
