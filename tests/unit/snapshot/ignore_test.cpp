// Rules of ignore files, and the paths that snapshots may hold.
#include "snapshot/ignore.hpp"

#include <gtest/gtest.h>

#include "snapshot/paths.hpp"

namespace muster::snapshot {
namespace {

// "out", "in", or "-" when no rule speaks of it. A folder's path ends with a slash.
std::string verdict(std::string_view rules, std::string_view path) {
  const bool is_folder = path.ends_with('/');
  if (is_folder) path.remove_suffix(1);
  const auto left = IgnoreRules(rules).leaves_out(path, is_folder);
  return !left ? "-" : *left ? "out" : "in";
}

TEST(Ignore, ANameMatchesAtEveryDepth) {
  EXPECT_EQ(verdict("*.o\n", "a.o"), "out");
  EXPECT_EQ(verdict("*.o\n", "a/b/c.o"), "out");
  EXPECT_EQ(verdict("*.o\n", "a.c"), "-");
}

TEST(Ignore, ASlashBindsToTheFolderOfTheRules) {
  EXPECT_EQ(verdict("/data\n", "data/"), "out");
  EXPECT_EQ(verdict("/data\n", "a/data/"), "-");
  EXPECT_EQ(verdict("a/data\n", "a/data"), "out");
  EXPECT_EQ(verdict("a/data\n", "b/a/data"), "-");
}

TEST(Ignore, ATrailingSlashMeansFolders) {
  EXPECT_EQ(verdict("data/\n", "data/"), "out");
  EXPECT_EQ(verdict("data/\n", "data"), "-");
  EXPECT_EQ(verdict("data/\n", "a/data/"), "out");
}

TEST(Ignore, TheLastRuleThatMatchesDecides) {
  EXPECT_EQ(verdict("*.py\n!a.py\n", "a.py"), "in");
  EXPECT_EQ(verdict("!a.py\n*.py\n", "a.py"), "out");
}

TEST(Ignore, TwoStarsCrossFolders) {
  EXPECT_EQ(verdict("**/x\n", "x"), "out");
  EXPECT_EQ(verdict("**/x\n", "a/b/x"), "out");
  EXPECT_EQ(verdict("**/x\n", "a/bx"), "-");
  EXPECT_EQ(verdict("a/**/x\n", "a/x"), "out");
  EXPECT_EQ(verdict("a/**/x\n", "a/b/c/x"), "out");
  EXPECT_EQ(verdict("a/**\n", "a/b/c"), "out");
  EXPECT_EQ(verdict("a/**\n", "a/"), "-");
  EXPECT_EQ(verdict("a/b**\n", "a/bc"), "out");
  EXPECT_EQ(verdict("a/b**\n", "a/bc/d"), "-");
}

TEST(Ignore, CommentsBlanksAndQuotes) {
  EXPECT_EQ(verdict("# x\n", "# x"), "-");
  EXPECT_EQ(verdict("\\#x\n", "#x"), "out");
  EXPECT_EQ(verdict("\\!x\n", "!x"), "out");
  EXPECT_EQ(verdict("x  \n", "x"), "out");
  EXPECT_EQ(verdict("x\\ \n", "x "), "out");
  EXPECT_EQ(verdict("x\r\ny\r\n", "y"), "out");
  EXPECT_EQ(verdict("\xef\xbb\xbfx\n", "x"), "out");
  EXPECT_EQ(verdict("\n/\n  \n", "x"), "-");
  EXPECT_EQ(verdict("x\\", "x"), "-");
}

TEST(Ignore, Sets) {
  EXPECT_EQ(verdict("[a-c].o\n", "b.o"), "out");
  EXPECT_EQ(verdict("[!a-c].o\n", "b.o"), "-");
  EXPECT_EQ(verdict("[^a-c].o\n", "d.o"), "out");
  EXPECT_EQ(verdict("[]x]\n", "]"), "out");
  EXPECT_EQ(verdict("[[:digit:]]*\n", "7z"), "out");
  EXPECT_EQ(verdict("[[:digits:]]\n", "7"), "-");
  EXPECT_EQ(verdict("[abc\n", "a"), "-");
  EXPECT_EQ(verdict("a[/]b\n", "a/b"), "-");
}

TEST(Ignore, APatternOfManyStarsTakesNoTime) {
  std::string stars;
  for (int i = 0; i < 500; ++i) stars += "a*";
  EXPECT_EQ(verdict("/" + stars + "b\n", std::string(4000, 'a')), "-");
}

TEST(Paths, NoPathLeadsOut) {
  for (const char* fine : {"a", "a/b", "..a", ".hidden", "a b", "-"}) {
    EXPECT_TRUE(is_inside(fine)) << fine;
  }
  for (const char* wrong : {"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/../b",
                            "a/./b", "a\nb", "a\x1b[2J", "a\x7f"}) {
    EXPECT_FALSE(is_inside(wrong)) << wrong;
  }
  EXPECT_FALSE(is_inside(std::string(256, 'a')));
  EXPECT_FALSE(is_inside(std::string_view("a\0b", 3)));
}

TEST(Paths, LinksStayInsideByTheirWords) {
  EXPECT_TRUE(link_stays("a", "b"));
  EXPECT_TRUE(link_stays("x/y/a", "../../b"));
  EXPECT_TRUE(link_stays("x/a", "./.././b//c/."));
  EXPECT_TRUE(link_stays("x/a", ".."));
  EXPECT_FALSE(link_stays("x/a", "b/..")) << "b may be a link to ., and x/.. is not x";
  EXPECT_FALSE(link_stays("x/a", "./b/../.."));
  EXPECT_FALSE(link_stays("a", "../b"));
  EXPECT_FALSE(link_stays("x/a", "../../b"));
  EXPECT_FALSE(link_stays("x/a", "b/../../../x/b"));
  EXPECT_FALSE(link_stays("a", "/etc/passwd"));
  EXPECT_FALSE(link_stays("a", ""));
}

}  // namespace
}  // namespace muster::snapshot
