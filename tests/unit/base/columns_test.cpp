// Text that fits a terminal.
#include "base/columns.hpp"

#include <gtest/gtest.h>

namespace muster::base::columns_test {
namespace {

using Widths = std::vector<std::size_t>;

TEST(Columns, AreThoseThatATerminalDraws) {
  EXPECT_EQ(columns_of(""), 0);
  EXPECT_EQ(columns_of("train"), 5);
  EXPECT_EQ(columns_of("\u00e9t\u00e9"), 3);
  EXPECT_EQ(columns_of("e\u0301"), 1);
  EXPECT_EQ(columns_of("\u540d\u5b57"), 4);
  EXPECT_EQ(padded("\u540d", 4), "\u540d  ");
  EXPECT_EQ(padded_before("12", 4), "  12");
  EXPECT_EQ(padded("longer", 4), "longer");
}

TEST(Columns, CutOnlyWhatHasNoRoom) {
  EXPECT_EQ(shortened("train", 5), "train");
  EXPECT_EQ(shortened("training", 7), "trai...");
  EXPECT_EQ(shortened("\u540d\u5b57\u540d\u5b57", 7), "\u540d\u5b57...");
  EXPECT_EQ(shortened("\u540d\u5b57\u540d\u5b57", 6), "\u540d...");
  EXPECT_EQ(shortened("training", 2), "..");
  EXPECT_EQ(shortened("training", 0), "");
}

TEST(Columns, FoldBetweenWords) {
  EXPECT_EQ(folded("a b c", 4, 0), "a b c");
  EXPECT_EQ(folded("a b c", 4, 9), "a b c");
  EXPECT_EQ(folded("one two three", 2, 10), "one two\n  three");
  EXPECT_EQ(folded("one   two     three", 2, 11), "one   two\n  three");
  EXPECT_EQ(folded("/a/path/that/is/long x", 2, 8), "/a/path/that/is/long\n  x");
}

TEST(Columns, ShrinkInOrderAndTakeWhatIsLeft) {
  constexpr Yield kYields[] = {{1, 4}, {0, 0}, {1, 2}};
  EXPECT_EQ(fitted({3, 9}, 1, 13, kYields), (Widths{3, 9}));
  EXPECT_EQ(fitted({3, 9}, 1, 12, kYields), (Widths{3, 8}));
  EXPECT_EQ(fitted({3, 9}, 1, 8, kYields), (Widths{3, 4}));
  EXPECT_EQ(fitted({3, 9}, 1, 7, kYields), (Widths{0, 7})) << "the first is gone, so there is room";
  EXPECT_EQ(fitted({3, 9}, 1, 3, kYields), (Widths{0, 3}));
  EXPECT_EQ(fitted({3, 9}, 1, 1, kYields), (Widths{0, 2})) << "never less than said";
}

TEST(Columns, OneIsWideOrNarrow) {
  constexpr Yield kYields[] = {{0, 2, true}};
  EXPECT_EQ(fitted({8, 3}, 1, 12, kYields), (Widths{8, 3}));
  EXPECT_EQ(fitted({8, 3}, 1, 11, kYields), (Widths{2, 3}));
}

}  // namespace
}  // namespace muster::base::columns_test
