// Any bytes become UTF-8, and UTF-8 stays what it is.
#include "view/utf8.hpp"

#include <gtest/gtest.h>

namespace muster::view {
namespace {

TEST(Utf8, LeavesTextAlone) {
  EXPECT_EQ(utf8("plain\n\\x41 größer € \xf0\x9f\x98\x80 \x7f"),
            "plain\n\\x41 größer € \xf0\x9f\x98\x80 \x7f");
}

TEST(Utf8, SpellsOutWhatIsNoCharacter) {
  EXPECT_EQ(utf8("a\xff"
                 "b"),
            "a\\xffb");
  EXPECT_EQ(utf8("\xc3"), "\\xc3");
  EXPECT_EQ(utf8("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(utf8("\x80"), "\\x80");
}

TEST(Utf8, SpellsOutOverlongFormsSurrogatesAndTooLargeNumbers) {
  EXPECT_EQ(utf8("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(utf8("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(utf8("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(utf8("\xf0\x80\x80\x80"), "\\xf0\\x80\\x80\\x80");
  EXPECT_EQ(utf8("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(OneLine, SpellsOutControlBytes) {
  EXPECT_EQ(one_line("a\nb\tc\x1b[0m\r\x7f ß"), "a\\nb\\tc\\x1b[0m\\x0d\\x7f ß");
}

}  // namespace
}  // namespace muster::view
