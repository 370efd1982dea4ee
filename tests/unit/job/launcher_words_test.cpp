// The command line of a launcher, as it stands in a shell's text.
#include "job/launcher_words.hpp"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

using Words = std::vector<std::string>;

Words words(std::string_view text) {
  const Words launchers = {"mpirun", "muster"};
  return launcher_words(text, launchers, [](std::string_view name) -> std::optional<std::string> {
    if (name == "N") return "4";
    if (name == "MORE") return "-np  2";
    if (name == "NONE") return "";
    return std::nullopt;
  });
}

TEST(LauncherWords, OfTheFirstCommandThatCallsOne) {
  EXPECT_EQ(words("mpirun -np 4 x"), (Words{"mpirun", "-np", "4", "x"}));
  EXPECT_EQ(words("cd a && A=1 time /usr/bin/mpirun x; mpirun y"), (Words{"/usr/bin/mpirun", "x"}));
  EXPECT_EQ(words("(set -e\nmuster run x)"), (Words{"muster", "run", "x"}));
  EXPECT_EQ(words("which mpirun && if ! mpirun x"), (Words{"mpirun", "x"}));
  EXPECT_EQ(words("echo hello"), Words{});
  EXPECT_EQ(words(""), Words{});
}

TEST(LauncherWords, QuotesHoldTogether) {
  EXPECT_EQ(words("mpirun 'a b' \"c d\" e\\ f g\"\"h '' \"\\$N \\x\""),
            (Words{"mpirun", "a b", "c d", "e f", "gh", "", "$N \\x"}));
  EXPECT_EQ(words("mpirun a \\\n  b"), (Words{"mpirun", "a", "b"}));
  EXPECT_EQ(words("mpirun 'open"), (Words{"mpirun", "open"}));
}

TEST(LauncherWords, VariablesThatAreKnown) {
  EXPECT_EQ(words("mpirun -np $N \"${N}x\" '$N' $MORE $NONE \"$NONE\" $UNKNOWN ${N:-3} $"),
            (Words{"mpirun", "-np", "4", "4x", "$N", "-np", "2", "", "$UNKNOWN", "${N:-3}", "$"}));
}

TEST(LauncherWords, EndAtRedirectionsAndPipes) {
  EXPECT_EQ(words("mpirun x > log 2>&1 && echo y"), (Words{"mpirun", "x"}));
  EXPECT_EQ(words("mpirun x | tee log"), (Words{"mpirun", "x"}));
  EXPECT_EQ(words("echo a >&2; mpirun y"), (Words{"mpirun", "y"}));
}

}  // namespace
}  // namespace muster::job
