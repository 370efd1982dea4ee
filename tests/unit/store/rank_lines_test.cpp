// RankLines: each stream of each rank has lines of its own, and they are read once.
#include "store/rank_lines.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "unit/folder.hpp"

namespace muster::store {
namespace {

class RankLinesTest : public testing::Test {
 protected:
  void print(const std::string& stream, const std::string& text) const {
    const std::filesystem::path path = folder_.path() + "/streams/" + stream;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::app) << text;
  }

  std::string read() {
    std::string text;
    Allowance left;
    for (const RankLine& one : lines_.read_new(left)) {
      if (!one.line.empty()) text += std::to_string(one.rank) + ":" + one.line + " ";
    }
    return text;
  }

  unit::Folder folder_;
  RankLines lines_{folder_.path() + "/streams"};
};

TEST_F(RankLinesTest, NothingIsThereAtFirst) {
  EXPECT_FALSE(lines_.is_there());
  EXPECT_EQ(read(), "");
  print("rank.0/stdout", "");
  EXPECT_TRUE(lines_.is_there());
}

// Half a line of one stream is not joined with half a line of another.
TEST_F(RankLinesTest, EachStreamForItself) {
  print("rank.00/stdout", "loss=0.");
  print("rank.00/stderr", "warn");
  print("rank.11/stdout", "loss=");
  EXPECT_EQ(read(), "");
  print("rank.00/stderr", "ing\n");
  print("rank.11/stdout", "7\n");
  print("rank.00/stdout", "5\nlo");
  EXPECT_EQ(read(), "0:warning 0:loss=0.5 11:loss=7 ");
  EXPECT_EQ(read(), "");
  lines_.end();
  EXPECT_EQ(read(), "0:lo ");
  EXPECT_FALSE(lines_.has_more());
}

// As `yes loss=1` does.
TEST_F(RankLinesTest, ARankThatPrintsForEverKeepsNoOtherWaiting) {
  print("rank.1/stdout", "loss=7\n");
  std::string much;
  while (much.size() < 2 * Allowance().bytes) much += "loss=1\n";
  bool is_heard = false;
  for (int turn = 0; turn < 3; ++turn) {
    print("rank.0/stdout", much);
    is_heard = is_heard || read().find("1:loss=7 ") != std::string::npos;
    EXPECT_TRUE(lines_.has_more());
  }
  EXPECT_TRUE(is_heard);
}

TEST_F(RankLinesTest, SpawnedWorldsComeLast) {
  print("2/rank.0/stdout", "b\n");
  print("rank.3/stdout", "a\n");
  print("rank.x/stdout", "no\n");
  EXPECT_EQ(read(), "3:a " + std::to_string(std::uint64_t{2} << 32) + ":b ");
}

}  // namespace
}  // namespace muster::store
