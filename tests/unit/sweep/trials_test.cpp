// Trials: how many run, how a sweep ends, and which trial is the best.
#include "sweep/trials.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace muster::sweep {
namespace {

using base::Instant;
using std::chrono::seconds;

constexpr Instant kStart{std::chrono::seconds(100)};

Settings settings_of(std::uint64_t trials, std::uint32_t at_once) {
  Settings settings{{{"x", Law::uniform, 0, 1, 0, 0, {}}}};
  settings.limits.trials = trials;
  settings.limits.at_once = at_once;
  return settings;
}

std::vector<std::size_t> started(const SweepEffects& effects) {
  std::vector<std::size_t> all;
  for (const SweepEffect& effect : effects) {
    if (const auto* start = std::get_if<StartTrial>(&effect)) all.push_back(start->trial);
  }
  return all;
}

std::vector<StopTrial> stopped(const SweepEffects& effects) {
  std::vector<StopTrial> all;
  for (const SweepEffect& effect : effects) {
    if (const auto* stop = std::get_if<StopTrial>(&effect)) all.push_back(*stop);
  }
  return all;
}

// Feeds a machine and remembers the effects of the last event.
struct Played {
  explicit Played(const Settings& settings, const Begun& begun = {}) : trials(settings, begun) {
    trials.begin(kStart, next());
  }

  void end(std::size_t trial, bool well = true) { trials.ended(trial, well, next()); }
  void report(std::size_t trial, double value, std::uint64_t rank = 0) {
    trials.reported(trial, value, next(), rank);
  }
  void pass(Instant now) { trials.pass(now, next()); }
  void interrupt() { trials.interrupt(next()); }

  SweepEffects& next() {
    effects.clear();
    return effects;
  }

  SweepEffects effects;
  Trials trials;
};

TEST(Trials, RunSoManyAtOnce) {
  Played play(settings_of(4, 2));
  EXPECT_EQ(started(play.effects), (std::vector<std::size_t>{0, 1}));
  play.report(1, 0.5);
  play.end(1);
  EXPECT_EQ(started(play.effects), (std::vector<std::size_t>{2}));
  play.end(0);
  EXPECT_EQ(started(play.effects), (std::vector<std::size_t>{3}));
  play.end(3);
  EXPECT_TRUE(play.effects.empty());
  play.end(2);
  EXPECT_EQ(play.effects, (SweepEffects{SweepOver{SweepEnd::completed, 1}}));
  EXPECT_TRUE(succeeded(*play.trials.outcome()));
}

TEST(Trials, WithoutALimitAllRun) {
  Played play(settings_of(5, 0));
  EXPECT_EQ(started(play.effects).size(), 5U);
}

TEST(Trials, TheBestHasCompletedAndReported) {
  Played play(settings_of(4, 4));
  for (const double value : {0.5, 0.2, 0.9}) play.report(0, value);
  play.report(1, 0.1);
  play.report(2, 0.2);
  play.end(0);
  play.end(1, false);
  play.end(2);
  play.end(3);
  EXPECT_EQ(play.effects, (SweepEffects{SweepOver{SweepEnd::completed, 0}}));  // the first of two
  EXPECT_EQ(play.trials.result(0), 0.2);
  EXPECT_EQ(play.trials.result(3), std::nullopt);
}

TEST(Trials, OfSeveralRanksTheLowestCounts) {
  Played play(settings_of(1, 1));
  play.report(0, 0.1, 3);
  play.report(0, 0.2, 3);
  EXPECT_EQ(play.trials.result(0), 0.1);
  play.report(0, 0.7, 1);  // what a higher one said before is forgotten
  EXPECT_EQ(play.trials.result(0), 0.7);
  play.report(0, 0.3, 3);
  play.report(0, 0.6, 1);
  EXPECT_EQ(play.trials.result(0), 0.6);
  EXPECT_EQ(play.trials.standings().reports(0), 2U);
  play.trials.check();
}

TEST(Trials, WhatDoesNotCountIsKnownUntilSomethingDoes) {
  Played play(settings_of(1, 1));
  EXPECT_EQ(play.trials.uncounted(0), std::nullopt);
  play.report(0, -std::numeric_limits<double>::infinity(), 3);
  EXPECT_EQ(play.trials.uncounted(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(play.trials.result(0), std::nullopt);
  play.report(0, 0.5, 1);  // what a higher one said before is forgotten
  EXPECT_EQ(play.trials.standings().uncounted(0), std::nullopt);
  play.report(0, std::numeric_limits<double>::infinity(), 1);
  EXPECT_EQ(play.trials.uncounted(0), std::nullopt);
  EXPECT_EQ(play.trials.result(0), 0.5);
  play.trials.check();
}

TEST(Trials, WithoutAMetricThereIsNoResult) {
  Played play(settings_of(1, 1));
  play.end(0);
  EXPECT_EQ(play.effects, (SweepEffects{SweepOver{SweepEnd::no_result, {}}}));
  EXPECT_FALSE(succeeded(*play.trials.outcome()));
}

TEST(Trials, WhenTheFirstAllFailTheRestIsGivenUp) {
  Played play(settings_of(100, 2));
  EXPECT_EQ(play.trials.failures_allowed(), 3U);
  play.end(0, false);
  play.end(1, false);
  EXPECT_EQ(started(play.effects), (std::vector<std::size_t>{3}));
  play.end(2, false);
  EXPECT_EQ(play.effects, (SweepEffects{StopTrial{3, TrialState::stopped}}));
  play.end(3, false);
  EXPECT_EQ(play.effects, (SweepEffects{SweepOver{SweepEnd::first_failed, {}}}));
  EXPECT_EQ(play.trials.trials()[3].state, TrialState::stopped);
}

TEST(Trials, OneThatDidNotFailLetsTheRestRun) {
  Played play(settings_of(20, 1));
  play.report(0, 1);
  play.end(0);
  for (std::size_t i = 1; i < 20; ++i) play.end(i, false);
  EXPECT_EQ(play.effects, (SweepEffects{SweepOver{SweepEnd::completed, 0}}));
}

TEST(Trials, APolicyEndsTrials) {
  Settings settings = settings_of(3, 2);
  settings.policy = {EarlyEnd::bandit};
  settings.policy.slack_amount = 0.1;
  Played play(settings);
  play.report(0, 0.1);
  play.report(1, 0.9);
  EXPECT_EQ(stopped(play.effects), (std::vector<StopTrial>{{1, TrialState::ended_early}}));
  play.report(1, 0.9);
  EXPECT_TRUE(play.effects.empty());  // once
  play.end(1, false);
  EXPECT_EQ(play.trials.trials()[1].state, TrialState::ended_early);
  EXPECT_EQ(started(play.effects), (std::vector<std::size_t>{2}));
}

TEST(Trials, OneThatCompletesAllTheSameHasCompleted) {
  Settings settings = settings_of(2, 2);
  settings.policy = {EarlyEnd::bandit};
  settings.policy.slack_amount = 0.1;
  Played play(settings);
  play.report(0, 0.1);
  play.report(1, 0.9);
  play.end(1, true);
  EXPECT_EQ(play.trials.trials()[1].state, TrialState::completed);
}

TEST(Trials, TheSweepsTimeEndsAll) {
  Settings settings = settings_of(9, 2);
  settings.limits.whole = seconds(10);
  Played play(settings);
  EXPECT_EQ(play.trials.next(), kStart + seconds(10));
  play.report(0, 1);
  play.end(0);
  play.pass(kStart + seconds(9));
  EXPECT_TRUE(play.effects.empty());
  play.pass(kStart + seconds(10));
  EXPECT_EQ(play.effects, (SweepEffects{StopTrial{1, TrialState::out_of_time},
                                        StopTrial{2, TrialState::out_of_time}}));
  play.end(1, false);
  play.end(2, false);
  EXPECT_EQ(play.effects, (SweepEffects{SweepOver{SweepEnd::out_of_time, 0}}));
  EXPECT_TRUE(succeeded(*play.trials.outcome()));
}

TEST(Trials, ATrialsTimeBeginsWhenItRuns) {
  Settings settings = settings_of(2, 1);
  settings.limits.one = seconds(5);
  Played play(settings);
  EXPECT_EQ(play.trials.next(), std::nullopt);
  play.trials.started(0, kStart + seconds(3));
  EXPECT_EQ(play.trials.next(), kStart + seconds(8));
  play.pass(kStart + seconds(8));
  EXPECT_EQ(play.effects, (SweepEffects{StopTrial{0, TrialState::out_of_time}}));
  EXPECT_EQ(play.trials.next(), std::nullopt);
  play.end(0, false);
  EXPECT_EQ(play.trials.trials()[0].state, TrialState::out_of_time);
  EXPECT_EQ(started(play.effects), (std::vector<std::size_t>{1}));
}

TEST(Trials, AnInterruptEndsTheSweep) {
  Played play(settings_of(9, 2));
  play.interrupt();
  EXPECT_EQ(stopped(play.effects).size(), 2U);
  play.interrupt();
  EXPECT_EQ(stopped(play.effects).size(), 2U);
  play.report(0, 1);
  play.end(0);
  play.end(1, false);
  EXPECT_EQ(play.effects, (SweepEffects{SweepOver{SweepEnd::interrupted, 0}}));
  EXPECT_FALSE(succeeded(*play.trials.outcome()));
}

TEST(Trials, OneThatGoesOnHasThePointsOfTheEarlierOne) {
  const Begun begun{{{1, {0.75}}}, {0, 2, 4}};
  Played play(settings_of(5, 1), begun);
  EXPECT_EQ(play.effects, (SweepEffects{StartTrial{1, {0.75}}}));
  EXPECT_EQ(play.trials.trials()[0].state, TrialState::left_out);
  play.report(1, 3);
  play.end(1);
  EXPECT_EQ(started(play.effects), (std::vector<std::size_t>{3}));
  play.trials.check();
  play.end(3);
  EXPECT_EQ(play.effects, (SweepEffects{SweepOver{SweepEnd::completed, 1}}));
  play.trials.check();
}

// Its model hears of what completed before, wherever its points came from.
TEST(Trials, BayesianGoesOnWithWhatIsKnown) {
  Settings settings = settings_of(16, 1);
  settings.sampling.method = Method::bayesian;
  const auto last_point = [&](const Begun& begun) {
    Played play(settings, begun);
    for (std::size_t i = 0; i < 15; ++i) {
      const double x = *play.trials.trials()[i].point[0];
      play.report(i, (x - 0.25) * (x - 0.25));
      play.end(i);
    }
    return play.trials.trials()[15].point;
  };
  Begun elsewhere;
  for (std::size_t i = 0; i < 15; ++i) elsewhere.points[i] = {0.01 * double(i)};
  EXPECT_NE(last_point({}), last_point(elsewhere));
  EXPECT_EQ(last_point(elsewhere), last_point(elsewhere));
}

}  // namespace
}  // namespace muster::sweep
