// How a command is to speak is known before it is read, and from its own words alone.
#include "front/voice.hpp"

#include <gtest/gtest.h>

namespace muster::front {
namespace {

Voice heard(const char* command, const std::vector<std::string>& words) {
  return voice(*front_of(command), words);
}

TEST(Voice, IsHeardInEachOfOurOwnCommands) {
  for (const Front& front : fronts()) {
    if (front.drop_in || front.names == "launch") continue;
    const Voice said = voice(front, std::vector<std::string>{"-q", "--color", "never"});
    EXPECT_TRUE(said.quiet) << front.names;
    EXPECT_EQ(said.colour, "never") << front.names;
    EXPECT_TRUE(voice(front, std::vector<std::string>{"--version"}).version) << front.names;
  }
}

TEST(Voice, WordsOfAProgramSayNothing) {
  const Voice said = heard("run", {"-n", "2", "program", "-q", "--color=never", "--version"});
  EXPECT_FALSE(said.quiet);
  EXPECT_FALSE(said.version);
  EXPECT_EQ(said.colour, "");
  EXPECT_FALSE(heard("explain", {"--", "program", "-q"}).quiet);
  EXPECT_FALSE(heard("run", {"-x", "-q", "program"}).quiet);
}

TEST(Voice, OptionsMayFollowAFile) {
  EXPECT_TRUE(heard("submit", {"job.yml", "-q"}).quiet);
  EXPECT_EQ(heard("logs", {"last", "--color=always"}).colour, "always");
}

TEST(Voice, MistakesElsewhereDoNotMatter) {
  EXPECT_EQ(heard("run", {"--color", "never", "--no-such-option"}).colour, "never");
  EXPECT_EQ(heard("run", {"--color"}).colour, "");
  EXPECT_FALSE(heard("run", {}).quiet);
}

TEST(Voice, OtherLaunchersHaveTheirOwnOptions) {
  EXPECT_FALSE(heard("mpirun", {"-q", "program"}).quiet);
  EXPECT_FALSE(heard("deepspeed", {"--version"}).version);
}

TEST(Voice, OnlyThreeWordsSayWhen) {
  for (const char* when : {"auto", "always", "never"}) {
    EXPECT_TRUE(check_colours({"--color", when})) << when;
  }
  const auto wrong = check_colours({"--color", "allways"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(to_string(wrong.error()),
            "--color must be auto, always or never, not 'allways'\n  hint: did you mean always?");
}

}  // namespace
}  // namespace muster::front
