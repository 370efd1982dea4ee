// The noise filter: what remote shells print before an agent speaks.
#include <gtest/gtest.h>

#include "wire/frame.hpp"

namespace muster::wire {
namespace {

using State = NoiseFilter::State;

struct Filtered {
  State state = State::searching;
  std::string noise, rest;
};

Filtered filter(std::string_view bytes, std::size_t step) {
  NoiseFilter filter;
  Filtered out;
  for (std::size_t at = 0; at < bytes.size(); at += step)
    out.state = filter.feed(bytes.substr(at, step), out.rest);
  out.noise = filter.noise();
  return out;
}

TEST(Noise, NoneAtAll) {
  const Filtered out = filter(kMagic, kMagic.size());
  EXPECT_EQ(out.state, State::found);
  EXPECT_EQ(out.noise, "");
  EXPECT_EQ(out.rest, "");
}

TEST(Noise, MagicSplitAnywhere) {
  const std::string bytes = "Welcome to node1\n" + std::string(kMagic) + "frames";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    const Filtered out = filter(bytes, step);
    EXPECT_EQ(out.state, State::found) << step;
    EXPECT_EQ(out.noise, "Welcome to node1\n") << step;
    EXPECT_EQ(out.rest, "frames") << step;
  }
}

TEST(Noise, APromptWithoutNewlineBefore) {
  const Filtered out = filter("$ " + std::string(kMagic), 5);
  EXPECT_EQ(out.state, State::found);
  EXPECT_EQ(out.noise, "$ ");
}

TEST(Noise, BeginningsOfTheMagicThatAreNone) {
  const std::string false_start(kMagic.substr(0, kMagic.size() - 1));
  const Filtered out = filter(false_start + false_start + std::string(kMagic) + "!", 3);
  EXPECT_EQ(out.state, State::found);
  EXPECT_EQ(out.noise, false_start + false_start);
  EXPECT_EQ(out.rest, "!");
}

TEST(Noise, ASecondMagicBelongsToTheFrames) {
  const std::string twice = std::string(kMagic) + std::string(kMagic);
  EXPECT_EQ(filter(twice, 1).rest, kMagic);
  EXPECT_EQ(filter(twice, twice.size()).rest, kMagic);
}

TEST(Noise, AsMuchAsIsAllowed) {
  const std::string most(kNoiseMax, 'n');
  for (const std::size_t step : {std::size_t{1}, std::size_t{1000}, 2 * kNoiseMax}) {
    const Filtered good = filter(most + std::string(kMagic) + "rest", step);
    EXPECT_EQ(good.state, State::found) << step;
    EXPECT_EQ(good.rest, "rest") << step;
    const Filtered bad = filter(most + "n" + std::string(kMagic) + "rest", step);
    EXPECT_EQ(bad.state, State::too_much) << step;
    EXPECT_EQ(bad.rest, "") << step;
    EXPECT_EQ(bad.noise, most) << step;
  }
}

}  // namespace
}  // namespace muster::wire
