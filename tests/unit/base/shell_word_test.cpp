// shell_word: a shell reads back what was meant.
#include "base/shell_word.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace muster::base {
namespace {

TEST(ShellWord, IsPlainWhereThatMeansTheSame) {
  for (const char* word : {"train.py", "--lr=1e-3", "/opt/a_b+c/d", "me@n1:22,n2", "%h", "-"}) {
    EXPECT_EQ(shell_word(word), word);
  }
}

TEST(ShellWord, HasQuotesWhereAShellWouldSeeMoreInIt) {
  for (const char* word : {"", "a b", "$HOME", "a\nb", "`x`", "a\\b", "~", "#", "*", "!1", "=ls",
                           "a;b", "\"", "{a,b}", "caf\xc3\xa9"}) {
    EXPECT_EQ(shell_word(word), "'" + std::string(word) + "'");
  }
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_word("'"), R"(''\''')");
}

TEST(ShellPath, LeavesTheHomeFolderToTheShell) {
  EXPECT_EQ(shell_path("~/bin/muster"), "~/bin/muster");
  EXPECT_EQ(shell_path("~/my bin/muster"), "~/'my bin/muster'");
  EXPECT_EQ(shell_path("/my bin/muster"), "'/my bin/muster'");
}

TEST(ShellWord, OfSeveralHasBlanksBetween) {
  EXPECT_EQ(shell_words({}), "");
  EXPECT_EQ(shell_words(std::vector<std::string>{"/opt/my tools/srun", "", "-v"}),
            "'/opt/my tools/srun' '' -v");
}

}  // namespace
}  // namespace muster::base
