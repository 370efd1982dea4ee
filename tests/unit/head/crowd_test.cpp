// Who makes room among those that nobody knows.
#include "head/crowd.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace muster::head {
namespace {

// Numbered as they came, from these addresses.
Crowd<int> crowd_from(const std::vector<std::string>& texts) {
  Crowd<int> crowd;
  int number = 0;
  for (const std::string& text : texts) crowd.add(asio::ip::make_address(text), number++);
  return crowd;
}

std::vector<int> all_of(Crowd<int> crowd) {
  std::vector<int> all;
  all.reserve(crowd.size());
  while (crowd.size() > 0) all.push_back(crowd.take_one());
  return all;
}

TEST(Crowd, TheOldestOfTheAddressWithMostLeaves) {
  EXPECT_EQ(crowd_from({"10.0.0.1", "10.0.0.9", "10.0.0.2", "10.0.0.9"}).take_one(), 1);
}

TEST(Crowd, TheOldestOfAllLeavesAmongEquals) {
  EXPECT_EQ(crowd_from({"10.0.0.7", "10.0.0.9", "10.0.0.1"}).take_one(), 0);
  EXPECT_EQ(all_of(crowd_from({"::1", "10.0.0.9", "::1", "10.0.0.9", "::1"})),
            (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Crowd, WhoHasLeftCountsNoMore) {
  Crowd<int> crowd;
  const auto one = asio::ip::make_address("10.0.0.1");
  const auto other = asio::ip::make_address("10.0.0.2");
  const Ticket first = crowd.add(one, 0);
  const Ticket second = crowd.add(one, 1);
  crowd.add(other, 2);
  crowd.add(other, 3);
  crowd.remove(first);
  crowd.remove(first);
  EXPECT_EQ(crowd.size(), 3U);
  EXPECT_EQ(crowd.take_one(), 2);
  crowd.remove(second);
  EXPECT_EQ(crowd.take_one(), 3);
  EXPECT_EQ(crowd.size(), 0U);
}

}  // namespace
}  // namespace muster::head
