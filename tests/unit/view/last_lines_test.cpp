// The ends of texts.
#include "view/last_lines.hpp"

#include <gtest/gtest.h>

namespace muster::view::last_lines_test {
namespace {

TEST(LastLines, AreCountedFromTheEnd) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(last_lines("a\nb\nc", 2), "b\nc");
  EXPECT_EQ(last_lines("a\n\n", 1), "\n");
  EXPECT_EQ(last_lines("a\nb\n", 7), "a\nb\n");
  EXPECT_EQ(last_lines("a\nb\n", 0), "");
  EXPECT_EQ(last_lines("", 3), "");
}

TEST(FirstLines, AreCountedFromTheBeginning) {
  EXPECT_EQ(first_lines("a\nb\nc\n", 2), "a\nb\n");
  EXPECT_EQ(first_lines("a", 2), "a");
  EXPECT_EQ(first_lines("a\nb", 0), "");
}

}  // namespace
}  // namespace muster::view::last_lines_test
