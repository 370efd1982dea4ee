// The command line of a launcher, as it stands in a shell's text.
#include "job/launcher_words.hpp"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

using Words = std::vector<std::string>;

LauncherWords found(std::string_view text) {
  const Words launchers = {"mpirun", "muster"};
  return launcher_words(text, launchers, [](std::string_view name) -> std::optional<std::string> {
    if (name == "N") return "4";
    if (name == "MORE") return "-np  2";
    if (name == "NONE") return "";
    return std::nullopt;
  });
}
Words words(std::string_view text) { return found(text).words; }
bool is_sure(std::string_view text) { return found(text).is_sure; }

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

TEST(LauncherWords, InCommentsAreNone) {
  EXPECT_EQ(words("# don't call mpirun a; mpirun b\nmpirun c # d"), (Words{"mpirun", "c"}));
  EXPECT_EQ(words("mpirun a#b '#c'"), (Words{"mpirun", "a#b", "#c"}));
}

TEST(LauncherWords, TellWhereTheyBegin) {
  EXPECT_EQ(found("# mpirun\nM=mpirun 'mpirun' x").at, 18U);
  EXPECT_EQ(found("a; mpi\\\nrun x").at, 3U);
  EXPECT_EQ(times_before("# mpirun\nM=mpirun mpirun x", found("# mpirun\nM=mpirun mpirun x")), 2U);
}

TEST(LauncherWords, KeepVariablesThatNothingInFrontSets) {
  for (const char* text : {"mpirun x", "cd src && mpirun x A=1", "pip install a==1; mpirun x"}) {
    EXPECT_TRUE(found(text).keeps_variables) << text;
  }
  for (const char* text :
       {"A=1 mpirun x", "A=1; mpirun x", "export A=1 && mpirun x", "A=1\nexport A\nmpirun x"}) {
    EXPECT_FALSE(found(text).keeps_variables) << text;
  }
}

TEST(LauncherWords, AreSureWhereNothingDecides) {
  for (const char* text :
       {"mpirun x", "\n  mpirun x\n", "cd src && mpirun x", "pip install y > /dev/null\nmpirun x",
        "set -e; echo a; time mpirun x", "A=1 mpirun x", "export A=1\nmpirun x | tee log",
        "# first\nmpirun x || echo failed"}) {
    EXPECT_TRUE(is_sure(text)) << text;
  }
  for (const char* text : {"if mpirun x; then y; fi",
                           "[ -f a ] && mpirun x",
                           "test -f a && mpirun x",
                           "cd a || mpirun x",
                           "echo a | mpirun x",
                           "sleep 9 & mpirun x",
                           "(mpirun x)",
                           "module load openmpi; mpirun x",
                           "source env.sh\nmpirun x",
                           "PATH=/opt/bin mpirun x",
                           "export PATH=/opt/bin:$PATH\nmpirun x",
                           "A=8; mpirun -np $A x",
                           "for i in 1 2; do mpirun x",
                           "export A=8\nmpirun -np ${A} x",
                           "cat << END\nmpirun x\nEND\nsomething; mpirun x",
                           "mpirun() { echo; }; mpirun x",
                           "! mpirun x",
                           "env -i mpirun x",
                           "grep -q a b; mpirun x",
                           "case $A in a) mpirun x;; esac",
                           "exit 0; mpirun x",
                           "echo hello"}) {
    EXPECT_FALSE(is_sure(text)) << text;
  }
}

TEST(LauncherWords, LeaveRedirectionsOutAndEndAtPipes) {
  EXPECT_EQ(words("mpirun x > log 2>&1 && echo y"), (Words{"mpirun", "x"}));
  EXPECT_EQ(words("mpirun x | tee log"), (Words{"mpirun", "x"}));
  EXPECT_EQ(words("> log mpirun -np 2>&1 <in x>>'a b' 3"), (Words{"mpirun", "-np", "x", "3"}));
  EXPECT_EQ(words("mpirun -np 2 2> log x a2>|b \"\" >&2"),
            (Words{"mpirun", "-np", "2", "x", "a2", ""}));
  EXPECT_EQ(words("echo a >&2; mpirun y"), (Words{"mpirun", "y"}));
}

}  // namespace
}  // namespace muster::job
