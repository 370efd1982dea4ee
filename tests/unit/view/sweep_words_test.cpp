// Sweeps in words: what explain shows, and how a sweep ends.
#include "view/sweep_words.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace muster::view {
namespace {

sweep::Settings small_sweep() {
  sweep::Settings settings{
      {{"lr", sweep::Law::loguniform, -6, -1, 0, 0, {}},
       {"n", sweep::Law::randint, 0, 1, 0, 8, {}},
       {"q", sweep::Law::qnormal, 1, 2.5, 0.5, 0, {}},
       {"model",
        sweep::Law::choice,
        0,
        1,
        0,
        0,
        {{"small", {}}, {"", {{"depth", sweep::Law::choice, 0, 1, 0, 0, {{"2", {}}}}}}}}}};
  settings.limits.trials = 4;
  settings.limits.at_once = 2;
  return settings;
}

TEST(SweepWords, APlanHasTheSpaceAndTheFirstTrials) {
  const std::string text = sweep_plan(small_sweep(), "loss");
  EXPECT_TRUE(
      text.starts_with("4 trials, 2 at once, random, to minimize loss\n"
                       "search space:\n"
                       "  lr: loguniform from -6 to -1\n"
                       "  n: randint from 0 to 7\n"
                       "  q: qnormal around 1 by 2.5 in steps of 0.5\n"
                       "  model: choice of small, {1}\n"
                       "    depth: choice of 2\n"
                       "first trials:\n"
                       "  trial_0: lr="))
      << text;
  EXPECT_NE(text.find("  trial_3: "), std::string::npos);
  EXPECT_EQ(text.find("  trial_4: "), std::string::npos);
}

// A sweep over x = 0, 1, 2 of which each trial reports its x, or the value given for it.
struct Over {
  explicit Over(const std::vector<bool>& well, const std::vector<double>& values = {0, 1, 2}) {
    sweep::Settings settings{
        {{"x", sweep::Law::choice, 0, 1, 0, 0, {{"0", {}}, {"1", {}}, {"2", {}}}}}};
    settings.sampling.method = sweep::Method::grid;
    trials.emplace(settings);
    sweep::SweepEffects effects;
    trials->begin({}, effects);
    for (std::size_t i = 0; i < well.size(); ++i) {
      trials->reported(i, values[i], effects);
      trials->ended(i, well[i], effects);
    }
  }
  std::optional<sweep::Trials> trials;
  std::vector<std::string> names = {"trial_0", "trial_1", "trial_2"};
};

TEST(SweepWords, TheBestTrialIsNamed) {
  const Over over({false, true, true});
  EXPECT_EQ(sweep_outcome("loss", *over.trials, over.names),
            "muster: the best of 3 trials is trial_1: loss 1 with x=1\n");
  EXPECT_EQ(trial_note("loss", *over.trials, 2), "loss 2 with x=2");
  EXPECT_EQ(trial_note("loss", *over.trials, 0), "");  // its report says more
  EXPECT_EQ(trial_note("loss", *over.trials, 3), "");
}

TEST(SweepWords, OrWhyThereIsNone) {
  const Over over({false, false, false});
  EXPECT_EQ(sweep_outcome("loss", *over.trials, over.names),
            "muster: 3 trials failed before any completed: the others were given up\n");
}
TEST(SweepWords, AValueThatDoesNotCountIsTold) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Over one({true, true, true}, {-infinity, 1, std::nan("")});
  EXPECT_EQ(sweep_outcome("loss", *one.trials, one.names),
            "muster: the best of 3 trials is trial_1: loss 1 with x=1\n");
  EXPECT_EQ(trial_note("loss", *one.trials, 0), "loss -inf, which does not count, with x=0");
  EXPECT_EQ(trial_note("loss", *one.trials, 2), "loss nan, which does not count, with x=2");
  const Over none({true, true, true}, {infinity, infinity, infinity});
  EXPECT_EQ(sweep_outcome("loss", *none.trials, none.names),
            "muster: no trial completed with a value of loss that counts: it must be finite\n");
}

}  // namespace
}  // namespace muster::view
