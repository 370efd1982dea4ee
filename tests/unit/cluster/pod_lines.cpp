// Lines of several pods, some of them twice.
#include "cluster/pod_lines.hpp"

#include <gtest/gtest.h>

namespace muster::cluster {
namespace {

constexpr const char* kFirst = "[pod/a/main] 2026-11-23T10:00:00.100000000Z one\n";
constexpr const char* kSecond = "[pod/a/main] 2026-11-23T10:00:00.200000000Z two\n";
constexpr const char* kOther = "[pod/b/main] 2026-11-23T10:00:00.100000000Z other\n";

TEST(PodLines, AreToldWithoutTheirTime) {
  PodLines lines;
  EXPECT_EQ(lines.take(kFirst, false), "one\n");
  EXPECT_EQ(lines.take(kSecond, true), "[pod/a/main] two\n");
}

TEST(PodLines, ThatComeAgainAreKnownByPod) {
  PodLines lines;
  EXPECT_EQ(lines.take(kFirst, false), "one\n");
  EXPECT_EQ(lines.take(std::string(kFirst) + kSecond + kOther, false), "two\nother\n");
}

TEST(PodLines, AreHeldUntilTheyAreWhole) {
  PodLines lines;
  const std::string whole = kFirst;
  EXPECT_EQ(lines.take(whole.substr(0, 30), false), "");
  EXPECT_EQ(lines.take(whole.substr(30), false), "one\n");
}

TEST(PodLines, ThatWereCutComeAgain) {
  PodLines lines;
  EXPECT_EQ(lines.take(std::string(kFirst).substr(0, 45), false), "");
  lines.cut();
  EXPECT_EQ(lines.take(kFirst, false), "one\n");
}

TEST(PodLines, ThatAreTooLongToBeHeldComeInParts) {
  PodLines lines;
  const std::string piece(std::size_t{700} << 10, 'x');
  EXPECT_EQ(lines.take("[pod/a/main] 2026-11-23T10:00:00.1Z " + piece, true), "");
  EXPECT_EQ(lines.take(piece, true), "[pod/a/main] " + piece + piece + "\n");
  EXPECT_EQ(lines.take("end\n", true), "[pod/a/main] end\n");
  lines.cut();
  EXPECT_EQ(lines.take("[pod/a/main] 2026-11-23T10:00:00.1Z " + piece + piece, true), "");
  EXPECT_EQ(lines.take("end\n" + std::string(kSecond), true), "[pod/a/main] two\n");
}

TEST(PodLines, KeepWhatARankPrints) {
  PodLines lines;
  EXPECT_EQ(lines.take("[pod/a/main] 2026-11-23T10:00:00.100000000Z \n"
                       "[pod/a/main] 2026-11-23T10:00:00.100000001Z   [0] x] y\n",
                       false),
            "\n  [0] x] y\n");
}

TEST(PodLines, AreNotWhatKubectlItselfSays) {
  PodLines lines;
  EXPECT_EQ(
      lines.take("error: container \"main\" in pod \"a\" is waiting to start\n[pod/a\n", true), "");
}

}  // namespace
}  // namespace muster::cluster
