// Ranks: starts and ends count once each, and servers are not waited for.
#include "machine/ranks.hpp"

#include <concepts>
#include <gtest/gtest.h>

namespace muster::machine::ranks_test {
namespace {

using base::Rank;

static_assert(std::equality_comparable<Ranks> && std::copyable<Ranks>);

TEST(Ranks, CountEachStartAndEndOnce) {
  Ranks ranks;
  ranks.add(false);
  ranks.add(false);
  EXPECT_TRUE(ranks.start(Rank(1), 7));
  EXPECT_FALSE(ranks.start(Rank(1), 8));
  EXPECT_FALSE(ranks.all_started());
  EXPECT_TRUE(ranks.start(Rank(0), 9));
  EXPECT_TRUE(ranks.all_started());
  EXPECT_TRUE(ranks.end(Rank(0)));
  EXPECT_FALSE(ranks.end(Rank(0)));
  EXPECT_EQ(ranks.alive(), 1U);
  EXPECT_TRUE(ranks.has_ended(Rank(0)));
  EXPECT_FALSE(ranks.has_ended(Rank(1)));
}

TEST(Ranks, OnlyServersAreLeftWhenAllOthersHaveEnded) {
  Ranks ranks;
  ranks.add(false);
  ranks.add(true);
  EXPECT_FALSE(ranks.only_servers_left());
  EXPECT_TRUE(ranks.end(Rank(0)));
  EXPECT_TRUE(ranks.only_servers_left());
  EXPECT_TRUE(ranks.end(Rank(1)));
  EXPECT_FALSE(ranks.only_servers_left()) << "nobody is left at all";
}

TEST(Ranks, OfANewRoundAreAsTheyWereAdded) {
  Ranks first;
  first.add(false);
  first.add(true);
  Ranks ranks = first;
  ranks.add(false);
  EXPECT_TRUE(ranks.start(Rank(2), 3));
  EXPECT_TRUE(ranks.end(Rank(0)));
  ranks.renew(2);
  EXPECT_EQ(ranks, first);
}

}  // namespace
}  // namespace muster::machine::ranks_test
