// What a host says of files that it cannot send: to text and back.
#include "cli/left_behind.hpp"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

std::optional<LeftBehind> read(std::string text) {
  std::string_view left = text;
  return take_left_behind(left);
}

TEST(LeftBehindText, IsReadAsItWasWritten) {
  std::vector<blobs::LeftOut> left_out = {{"outputs/a\nb", "a name", true},
                                          {"outputs/pipe", "a fifo", false}};
  for (int i = 0; i < 9; ++i) left_out.push_back({"outputs/s" + std::to_string(i), "a socket"});
  const LeftBehind left = left_behind(left_out, 5'000'000'000);
  const std::string text = to_text(left) + "muster parcel";
  std::string_view rest = text;
  EXPECT_EQ(take_left_behind(rest), left);
  EXPECT_EQ(rest, "muster parcel");
  LeftBehind::Part lost;
  LeftBehind::Part others;
  lost.add(left.lost, "node1");
  others.add(left.others, "node1");
  others.add(left.others, "node2");
  EXPECT_EQ(lost.words(), "node1: outputs/a\\nb (a name)");
  EXPECT_EQ(others.words().substr(0, 34), "node1: outputs/pipe (a fifo), node");
  EXPECT_TRUE(others.words().ends_with("node1: outputs/s3 (a socket) and 15 more"));
}

TEST(LeftBehindText, NothingOfItIsTrusted) {
  EXPECT_EQ(read("lost 0\nothers 0\nbytes 0\n"), LeftBehind());
  EXPECT_EQ(read("lost 1\n\x1b[2J\nothers 0\nbytes 7\n")->lost.names.front(), "\\x1b[2J");
  for (const char* text :
       {"", "lost", "lost 1\n", "lost 1\nothers 0\nbytes 0\n", "lost x\nothers 0\nbytes 0\n",
        "lost -1\nothers 0\nbytes 0\n", "others 0\nlost 0\nbytes 0\n",
        "lost 0\nothers 2\na\nbytes 0\n", "lost 99999999999999999999\nothers 0\nbytes 0\n",
        "lost 0 \nothers 0\nbytes 0\n", "lost 0\nothers 0\n", "lost 0\nothers 0\nbytes x\n"}) {
    EXPECT_FALSE(read(text)) << text;
  }
  EXPECT_LT(to_text(left_behind(std::vector<blobs::LeftOut>(
                        99, {std::string(9000, '\x01'), "a name", true})))
                .size(),
            kLeftBehindMax);
}

}  // namespace
}  // namespace muster::cli
