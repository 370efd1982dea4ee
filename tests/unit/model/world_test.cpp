// Which world a rank belongs to.
#include "model/world.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace muster::model {
namespace {

using base::Rank;

TEST(World, IsFoundByRank) {
  const std::vector<World> worlds{{1, Rank(0), 2}, {2, Rank(2), 1}, {3, Rank(3), 4}};
  EXPECT_EQ(world_of(worlds, Rank(0)).number, 1u);
  EXPECT_EQ(world_of(worlds, Rank(1)).number, 1u);
  EXPECT_EQ(world_of(worlds, Rank(2)).number, 2u);
  EXPECT_EQ(world_of(worlds, Rank(6)).number, 3u);
  EXPECT_EQ(world_of(worlds, Rank(6)).own(Rank(6)), 3u);
}

}  // namespace
}  // namespace muster::model
