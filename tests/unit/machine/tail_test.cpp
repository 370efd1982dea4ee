// Tail: the last lines, cut rarely and bounded.
#include "machine/tail.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

using Lines = std::vector<std::string>;

Lines tail_of(std::initializer_list<std::string_view> pieces) {
  Tail tail;
  for (const std::string_view piece : pieces) tail.take(piece);
  return tail.lines();
}

TEST(Tail, KeepsWholeLinesWhateverThePieces) {
  EXPECT_EQ(tail_of({}), Lines{});
  EXPECT_EQ(tail_of({"one\ntw", "o\nthree"}), (Lines{"one", "two", "three"}));
}

TEST(Tail, LeavesBlankLinesAtTheEndOutAndInsideIn) {
  EXPECT_EQ(tail_of({"one\n\ntwo\r\n\n\n"}), (Lines{"one", "", "two"}));
  EXPECT_EQ(tail_of({"\n\n"}), Lines{});
}

TEST(Tail, KeepsTheLastTwelve) {
  Tail tail;
  for (int i = 1; i <= 20; ++i) tail.take("line " + std::to_string(i) + "\n");
  const Lines lines = tail.lines();
  ASSERT_EQ(lines.size(), Tail::kLines);
  EXPECT_EQ(lines.front(), "line 9");
  EXPECT_EQ(lines.back(), "line 20");
}

TEST(Tail, LeavesAFirstLineThatWasCutOut) {
  const std::string longest(Tail::kBytes, 'x');
  EXPECT_EQ(tail_of({longest, "\nlast\n"}), Lines{"last"});
}

TEST(Tail, KeepsTheEndOfALineThatIsAllThereIs) {
  const std::string longest(3 * Tail::kBytes, 'x');
  EXPECT_EQ(tail_of({longest}), Lines{std::string(Tail::kBytes, 'x')});
}

TEST(Tail, LeavesNativeFramesOutBelowTheWordsThatTheyFollow) {
  std::string text = "F1127 15:47:47.428535   21024 client.h:80] fatal errors\n\nRPC: Register\n";
  for (int i = 0; i < 30; ++i) text += "    @     0x7f97d4a40634  absl::LogMessage::Flush()\n";
  EXPECT_EQ(tail_of({text}), (Lines{"F1127 15:47:47.428535   21024 client.h:80] fatal errors", "",
                                    "RPC: Register"}));
  EXPECT_EQ(tail_of({"  @ 12\n@\n  @decorated\n"}), (Lines{"  @ 12", "@", "  @decorated"}));
}

TEST(Tail, EqualsTheEndOfTheWholeTextForSmallPieces) {
  Tail tail;
  for (int i = 0; i < 5000; ++i) tail.take(std::to_string(i) + "\n");
  EXPECT_EQ(tail.lines().front(), "4988");
  EXPECT_EQ(tail.lines().back(), "4999");
}

}  // namespace
}  // namespace muster::machine
