// nearest: small mistakes find their word, large ones find nothing.
#include "base/nearest.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace muster::base {
namespace {

const std::vector<std::string> kWords = {"--tag", "--timestamp", "--timeout", "--hostfile"};

TEST(Nearest, ForgivesSmallMistakes) {
  EXPECT_EQ(nearest("--taag", kWords), "--tag");
  EXPECT_EQ(nearest("--hostfle", kWords), "--hostfile");
  EXPECT_EQ(nearest("--timeuot", kWords), "--timeout");
}

TEST(Nearest, TakesSwappedNeighboursForOneMistake) {
  EXPECT_EQ(nearest("--tga", kWords), "--tag");
  EXPECT_EQ(nearest("rnu", std::vector<std::string>{"rm", "run"}), "run");
  EXPECT_EQ(nearest("urn", std::vector<std::string>{"run"}), "run");
  EXPECT_EQ(nearest("nru", std::vector<std::string>{"run"}), std::nullopt);
}

TEST(Nearest, GuessesNothingFromFarAway) {
  EXPECT_EQ(nearest("--completely-else", kWords), std::nullopt);
  EXPECT_EQ(nearest("x", kWords), std::nullopt);
  EXPECT_EQ(nearest("", kWords), std::nullopt);
  EXPECT_EQ(nearest("--beta", std::vector<std::string>{"--set"}), std::nullopt);
  EXPECT_EQ(nearest("--bogus", std::vector<std::string>{"--logs"}), std::nullopt);
}

TEST(Nearest, KnowsAWordByItsFirstPart) {
  const std::vector<std::string> words = {"--secret-file", "--start-timeout", "--ssh-port",
                                          "--ssh-command"};
  EXPECT_EQ(nearest("--secret", words), "--secret-file");
  EXPECT_EQ(nearest("--start", words), "--start-timeout");
  EXPECT_EQ(nearest("--secr", words), std::nullopt);
  EXPECT_EQ(nearest("--ssh", words), std::nullopt);
  EXPECT_EQ(nearest("max", std::vector<std::string>{"max_total_trials"}), std::nullopt);
}

TEST(Nearest, LeavesALetterAsItIs) {
  EXPECT_EQ(nearest("B", std::vector<std::string>{"_"}), std::nullopt);
  EXPECT_EQ(nearest("B_", std::vector<std::string>{"_"}), std::nullopt);
  EXPECT_EQ(nearest("-q", std::vector<std::string>{"-n"}), std::nullopt);
  EXPECT_EQ(nearest("-N", std::vector<std::string>{"-n"}), "-n");
  EXPECT_EQ(nearest("B", std::vector<std::string>{"BX"}), std::nullopt);
}

TEST(Nearest, IsAskedOrElseSomethingIsSaid) {
  EXPECT_EQ(did_you_mean("--taag", kWords, "see --help"), "did you mean --tag?");
  EXPECT_EQ(did_you_mean("x", kWords, "see --help"), "see --help");
  EXPECT_EQ(did_you_mean("x", kWords), "");
}

}  // namespace
}  // namespace muster::base
