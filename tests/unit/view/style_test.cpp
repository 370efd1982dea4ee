// Who decides on colours, and in which order.
#include "view/style.hpp"

#include <gtest/gtest.h>

namespace muster::view {
namespace {

bool colours(const ColourSigns& signs, bool is_terminal) {
  return style(signs, is_terminal).colour;
}

TEST(Style, TerminalsAloneHaveColours) {
  EXPECT_TRUE(colours({.terminal = "xterm"}, true));
  EXPECT_TRUE(colours({}, true));
  EXPECT_FALSE(colours({.terminal = "xterm"}, false));
  EXPECT_FALSE(colours({.terminal = "dumb"}, true));
}

TEST(Style, OtherProgramsVariablesAreHeard) {
  EXPECT_FALSE(colours({.no_color = "1"}, true));
  EXPECT_FALSE(colours({.no_color = "1", .force = "1"}, true));
  EXPECT_TRUE(colours({.force = "1"}, false));
  EXPECT_TRUE(colours({.force = "1", .terminal = "dumb"}, false));
  EXPECT_FALSE(colours({.force = "0"}, false));
}

TEST(Style, OurOwnWordComesFirst) {
  EXPECT_TRUE(colours({.muster = "always", .no_color = "1", .terminal = "dumb"}, false));
  EXPECT_FALSE(colours({.muster = "never", .force = "1"}, true));
  EXPECT_TRUE(colours({.muster = "auto"}, true));
  EXPECT_FALSE(colours({.muster = "auto", .no_color = "1"}, true));
  EXPECT_TRUE(colours({.muster = "sometimes"}, true));
}

}  // namespace
}  // namespace muster::view
