// Fences: parts are joined in the order of nodes, once, whatever the order in which they came.
#include "machine/fences.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

using base::NodeIndex;

TEST(Fences, JoinPartsInTheOrderOfNodes) {
  Fences fences(3);
  EXPECT_FALSE(fences.add(0, NodeIndex(2), "c"));
  EXPECT_FALSE(fences.add(0, NodeIndex(0), "a"));
  EXPECT_EQ(fences.add(0, NodeIndex(1), "b"), "abc");
  EXPECT_FALSE(fences.add(0, NodeIndex(1), "again, a new exchange"));
}

TEST(Fences, ASecondPartOfANodeIsIgnored) {
  Fences fences(2);
  EXPECT_FALSE(fences.add(0, NodeIndex(0), "first"));
  EXPECT_FALSE(fences.add(0, NodeIndex(0), "second"));
  EXPECT_EQ(fences.add(0, NodeIndex(1), "|"), "first|");
}

TEST(Fences, SeveralMayBeOpen) {
  Fences fences(2);
  EXPECT_FALSE(fences.add(0, NodeIndex(0), "a"));
  EXPECT_FALSE(fences.add(1, NodeIndex(0), "x"));
  EXPECT_EQ(fences.add(1, NodeIndex(1), "y"), "xy");
  EXPECT_EQ(fences.add(0, NodeIndex(1), "b"), "ab");
}

}  // namespace
}  // namespace muster::machine
