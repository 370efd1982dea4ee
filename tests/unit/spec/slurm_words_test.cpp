// Lists of nodes and counts as Slurm writes them.
#include "spec/slurm_words.hpp"

#include <gtest/gtest.h>

namespace muster::spec::slurm_words_test {
namespace {

using Names = std::vector<std::string>;
using Counts = std::vector<std::uint32_t>;

Names nodes(std::string_view text) { return read_slurm_nodes(text, "N").value_or(Names{"?"}); }

Counts counts(std::string_view text, std::size_t nodes) {
  return read_slurm_counts(text, nodes, "C").value_or(Counts{0});
}

TEST(SlurmNodes, AreListed) {
  EXPECT_EQ(nodes("one"), (Names{"one"}));
  EXPECT_EQ(nodes("a,b-1,c_d.e"), (Names{"a", "b-1", "c_d.e"}));
  EXPECT_EQ(nodes("n[1-3,7]"), (Names{"n1", "n2", "n3", "n7"}));
  EXPECT_EQ(nodes("n[1-2],m[3,5],x"), (Names{"n1", "n2", "m3", "m5", "x"}));
}

TEST(SlurmNodes, KeepTheWidthOfTheirNumbers) {
  EXPECT_EQ(nodes("n[008-010]"), (Names{"n008", "n009", "n010"}));
  EXPECT_EQ(nodes("n[9-10]"), (Names{"n9", "n10"}));
  EXPECT_EQ(nodes("n[01,2]"), (Names{"n01", "n2"}));
}

TEST(SlurmNodes, HaveSeveralGroupsAndEnds) {
  EXPECT_EQ(nodes("r[1-2]n[1-2]"), (Names{"r1n1", "r1n2", "r2n1", "r2n2"}));
  EXPECT_EQ(nodes("n[1-2]-ib,z"), (Names{"n1-ib", "n2-ib", "z"}));
}

TEST(SlurmNodes, AreRefusedWhereTheyAreNone) {
  for (const char* text : {"", "a,", ",a", "n[", "n[1", "n[]", "n[2-1]", "n[a]", "n[1--2]", "n[1-]",
                           "n[-1]", "n[0-99999999]", "n[1-2000]x[1-2000]", "n[1,,2]", "n[1,]"}) {
    EXPECT_FALSE(read_slurm_nodes(text, "N")) << text;
  }
  EXPECT_EQ(read_slurm_nodes("a,n[2-1]", "N").error().what,
            "N is not a list of nodes as Slurm writes it: 'n[2-1]'");
}

TEST(SlurmCounts, AreRepeated) {
  EXPECT_EQ(counts("4(x3),2", 4), (Counts{4, 4, 4, 2}));
  EXPECT_EQ(counts("16", 1), (Counts{16}));
  EXPECT_EQ(counts("1,2(x2)", 3), (Counts{1, 2, 2}));
}

TEST(SlurmCounts, OfFurtherNodesAreLeftOut) {
  EXPECT_EQ(counts("4(x30)", 1), (Counts{4}));
  EXPECT_EQ(counts("4(x2),3", 2), (Counts{4, 4}));
}

TEST(SlurmCounts, AreRefusedWhereTheyAreNone) {
  for (const char* text : {"", "4,", "x", "4(3)", "4(x", "4(x)", "0(x2)", "-1", "4(x1)", "4 "}) {
    EXPECT_FALSE(read_slurm_counts(text, 2, "C")) << text;
  }
}

}  // namespace
}  // namespace muster::spec::slurm_words_test
