// Rankfiles: what lines become, and where complaints point.
#include "spec/rankfile.hpp"

#include <gtest/gtest.h>

namespace muster::spec::rankfile_test {
namespace {

std::string complaint(std::string_view text) {
  const auto read = read_rankfile(text, "ranks");
  return read ? "no complaint" : to_string(read.error().place) + ": " + read.error().what;
}

TEST(Rankfile, HoldsCpusAndCoresOfSockets) {
  const auto read = read_rankfile(
      "# ours\nrank 1=node2 slot=0-2,5\n\nrank 0=+n0 slot=1:0-1,3;0:*\nrank 2 = c slot = *:2\n",
      "ranks");
  ASSERT_TRUE(read) << to_string(read.error());
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ((*read)[0].rank, base::Rank(1));
  EXPECT_EQ((*read)[0].host, "node2");
  EXPECT_EQ((*read)[0].cpus, (std::vector<std::uint32_t>{0, 1, 2, 5}));
  using Cores = model::RankfileEntry::Cores;
  EXPECT_EQ((*read)[1].host, "+n0");
  EXPECT_EQ((*read)[1].cores, (std::vector<Cores>{{1, 0, 1}, {1, 3, 3}, {0, 0, std::nullopt}}));
  EXPECT_EQ((*read)[2].cores, (std::vector<Cores>{{std::nullopt, 2, 2}}));
  EXPECT_EQ((*read)[2].place, (base::Place{"ranks", 5, 1}));
}

TEST(Rankfile, ComplaintsPointAtTheWord) {
  EXPECT_EQ(complaint("rank 0=a slot=0\nrnk 1=a slot=1\n"),
            "ranks:2:1: the line does not start with rank R=HOST");
  EXPECT_EQ(complaint("rank x=a slot=0"),
            "ranks:1:6: rank must be a whole number from 0 to 999999, not 'x'");
  EXPECT_EQ(complaint("rank 0=a"), "ranks:1:8: rank 0 has no slot=LIST");
  EXPECT_EQ(complaint("rank 0=a slot=3-1"), "ranks:1:15: slot range '3-1' runs backwards");
  EXPECT_EQ(complaint("rank 0=a slot=0 1"), "ranks:1:17: '1' after the slots");
  EXPECT_EQ(complaint("rank 0=a slot=*"), "ranks:1:15: slot=* names no cpu; write SOCKET:*");
  EXPECT_EQ(complaint("rank 0=a slot=1,0:1"), "ranks:1:15: cpus and cores of sockets in one list");
  EXPECT_EQ(complaint("rank 0=a slot=0\nrank 0=b slot=0"), "ranks:2:1: rank 0 is there twice");
  EXPECT_EQ(complaint("rank 0=a slot=99999"),
            "ranks:1:15: slot must be from 0 to 16383, not 99999");
  EXPECT_EQ(complaint("# nothing\n"), "ranks: the file names no rank");
}

}  // namespace
}  // namespace muster::spec::rankfile_test
