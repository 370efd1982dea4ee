// A stranger decides how often it is refused, not how much we print.
#include "machine/refusals.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

TEST(RefusalLines, AreToldOnceEach) {
  Refusals refusals;
  EXPECT_EQ(refusals.add("a"), "a");
  EXPECT_FALSE(refusals.sum());
  EXPECT_EQ(refusals.add("a"), std::nullopt);
  EXPECT_EQ(refusals.add("b"), "b");
  EXPECT_EQ(refusals.sum(), "3 connections were refused in all");
}

TEST(RefusalLines, AreBoundedInAll) {
  Refusals refusals;
  int lines = 0;
  for (int i = 0; i < 1000; ++i) lines += refusals.add(std::to_string(i)) ? 1 : 0;
  EXPECT_EQ(lines, static_cast<int>(Refusals::kToldMax) + 1);  // and that there will be no more
  EXPECT_EQ(refusals.sum(), "1000 connections were refused in all");
}

}  // namespace
}  // namespace muster::machine
