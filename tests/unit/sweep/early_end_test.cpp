// Early ends: Azure ML's own examples of its policies, and what lies at their edges.
#include "sweep/early_end.hpp"

#include <cmath>
#include <ctime>
#include <gtest/gtest.h>
#include <limits>

namespace muster::sweep {
namespace {

using Ended = std::vector<std::size_t>;

// What a trial has reported, and whether more is to come.
struct Progress {
  std::vector<double> reported;
  bool runs = true;
  bool completed = false;
};

// Who is to be ended after the last report of `reporter`, which comes after all others.
Ended ended_early(const Policy& policy, Goal goal, const std::vector<Progress>& trials,
                  std::size_t reporter) {
  Standings standings(policy, goal);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    standings.begin();
    const std::size_t count = trials[i].reported.size() - (i == reporter ? 1 : 0);
    for (std::size_t k = 0; k < count; ++k) (void)standings.report(i, trials[i].reported[k]);
    if (!trials[i].runs) standings.end(i, trials[i].completed);
  }
  return standings.report(reporter, trials[reporter].reported.back());
}

std::vector<Progress> running(const std::vector<std::vector<double>>& reported) {
  std::vector<Progress> trials;
  for (const auto& values : reported) trials.push_back({values});
  return trials;
}

Policy bandit(std::optional<double> factor, std::optional<double> amount) {
  Policy policy{EarlyEnd::bandit};
  policy.slack_factor = factor;
  policy.slack_amount = amount;
  return policy;
}

// An overflow is no success, whatever the goal.
TEST(Standings, NoInfinityIsEverTheBest) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Goal goal : {Goal::minimize, Goal::maximize}) {
    Standings standings({}, goal);
    standings.begin();
    for (const double value : {kInfinity, -kInfinity, std::nan("")}) {
      (void)standings.report(0, value);
      EXPECT_EQ(standings.best(0), std::nullopt);
    }
    (void)standings.report(0, 3);
    (void)standings.report(0, goal == Goal::minimize ? -kInfinity : kInfinity);
    EXPECT_EQ(standings.best(0), 3);
  }
  const auto trials = running({{0.8}, {kInfinity}, {0.7}});
  EXPECT_EQ(ended_early(bandit(0.2, {}), Goal::maximize, trials, 2), (Ended{1}));
}

// "Assume that the best performing run at interval 10 reported a primary metric 0.8 with a goal to
// maximize ... less than 0.66 (0.8 / (1 + slack_factor)) will be terminated"; by amount, below 0.6.
TEST(Bandit, EndsWhatIsBeyondTheSlack) {
  const auto trials = running({{0.8}, {0.67}, {0.66}, {0.61}, {0.59}});
  EXPECT_EQ(ended_early(bandit(0.2, {}), Goal::maximize, trials, 4), (Ended{2, 3, 4}));
  EXPECT_EQ(ended_early(bandit({}, 0.2), Goal::maximize, trials, 4), (Ended{4}));
}

TEST(Bandit, WhereLessIsBetterTheSlackIsAbove) {
  const auto trials = running({{1.0}, {1.15}, {1.25}});
  EXPECT_EQ(ended_early(bandit(0.2, {}), Goal::minimize, trials, 0), (Ended{2}));
  EXPECT_EQ(ended_early(bandit({}, 0.1), Goal::minimize, trials, 0), (Ended{1, 2}));
}

TEST(Bandit, NeverEndsTheBestOfNegativeOnes) {
  const auto trials = running({{-1.0}, {-1.1}, {-1.5}});
  EXPECT_EQ(ended_early(bandit(0.2, {}), Goal::maximize, trials, 0), (Ended{2}));
  const auto lower = running({{-1.0}, {-0.9}, {-0.5}});
  EXPECT_EQ(ended_early(bandit(0.2, {}), Goal::minimize, lower, 0), (Ended{2}));
}

TEST(Bandit, ComparesWhatTrialsHadWhenTheyWereAsOld) {
  // The first has come further; at its second report it had no more than the other one has.
  const auto trials = running({{0.1, 0.3, 0.9}, {0.1, 0.29}});
  EXPECT_EQ(ended_early(bandit(0.1, {}), Goal::maximize, trials, 1), Ended{});
}

TEST(Bandit, CountsTheBestReportNotTheLast) {
  const auto trials = running({{0.8, 0.8}, {0.8, 0.1}});
  EXPECT_EQ(ended_early(bandit(0.1, {}), Goal::maximize, trials, 1), Ended{});
}

TEST(EarlyEnd, WaitsForItsIntervalAndItsDelay) {
  Policy policy = bandit({}, 0.1);
  policy.interval = 2;
  policy.delay = 3;
  std::vector<double> worse;
  for (std::size_t report = 1; report <= 6; ++report) {
    worse.push_back(0);
    const auto trials = running({{1, 1, 1, 1, 1, 1}, worse});
    const bool due = report == 4 || report == 6;
    EXPECT_EQ(ended_early(policy, Goal::maximize, trials, 1), due ? Ended{1} : Ended{}) << report;
  }
}

TEST(EarlyEnd, WhatHasEndedIsNotEndedOnceMore) {
  auto trials = running({{1.0}, {0.0}, {0.0}});
  trials[1].runs = false;
  EXPECT_EQ(ended_early(bandit({}, 0.1), Goal::maximize, trials, 2), (Ended{2}));
}

TEST(EarlyEnd, WhatIsNotANumberIsWorst) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const Goal goal : {Goal::minimize, Goal::maximize}) {
    const auto trials = running({{1.0}, {none}, {1.0}});
    EXPECT_EQ(ended_early(bandit({}, 0.1), goal, trials, 1), (Ended{1}));
    EXPECT_EQ(ended_early({EarlyEnd::median_stopping}, goal, trials, 1), (Ended{1}));
    EXPECT_FALSE(is_better(goal, none, 0));
    EXPECT_TRUE(is_better(goal, 0, none));
    EXPECT_FALSE(is_better(goal, none, none));
  }
}

TEST(MedianStopping, ComparesTheBestWithTheMedianOfRunningAverages) {
  // Averages at the second report: 0.5, 0.3, 0.1; the median is 0.3.
  const auto trials = running({{0.4, 0.6}, {0.3, 0.3}, {0.2, 0.0}});
  EXPECT_EQ(ended_early({EarlyEnd::median_stopping}, Goal::maximize, trials, 2), (Ended{2}));
  // The best of the last one is what counts.
  const auto late = running({{0.4, 0.6}, {0.3, 0.3}, {0.3, 0.0}});
  EXPECT_EQ(ended_early({EarlyEnd::median_stopping}, Goal::maximize, late, 2), Ended{});
}

TEST(MedianStopping, OfAnEvenNumberIsBetweenTheTwoInTheMiddle) {
  const auto trials = running({{0.0}, {1.0}, {2.0}, {3.0}});
  EXPECT_EQ(ended_early({EarlyEnd::median_stopping}, Goal::minimize, trials, 0), (Ended{2, 3}));
}

// "truncation_percentage: 20 ... if its performance at interval five is in the lowest 20% of
// performance of all jobs at interval five".
TEST(TruncationSelection, EndsTheLastOnes) {
  Policy policy{EarlyEnd::truncation_selection};
  policy.percentage = 20;
  const auto ten = running({{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {10}});
  EXPECT_EQ(ended_early(policy, Goal::maximize, ten, 5), (Ended{0, 1}));
  EXPECT_EQ(ended_early(policy, Goal::minimize, ten, 5), (Ended{8, 9}));
  const auto four = running({{1}, {2}, {3}, {4}});
  EXPECT_EQ(ended_early(policy, Goal::maximize, four, 0), Ended{});
}

TEST(TruncationSelection, ThoseEndedBeforeKeepTheirRank) {
  Policy policy{EarlyEnd::truncation_selection};
  policy.percentage = 20;
  auto trials = running({{1}, {2}, {3}, {4}, {5}});
  trials[0].runs = false;  // it was ended
  EXPECT_EQ(ended_early(policy, Goal::maximize, trials, 4), Ended{});
}

TEST(TruncationSelection, MayLeaveOutCompletedTrials) {
  Policy policy{EarlyEnd::truncation_selection};
  policy.percentage = 40;
  auto trials = running({{1}, {2}, {3}, {4}, {5}});
  trials[0].runs = false;
  trials[0].completed = true;
  EXPECT_EQ(ended_early(policy, Goal::maximize, trials, 4), (Ended{1}));  // the last two of five
  policy.without_completed = true;
  EXPECT_EQ(ended_early(policy, Goal::maximize, trials, 4), (Ended{1}));  // the last of four
  trials[0].completed = false;
  policy.percentage = 39;
  EXPECT_EQ(ended_early(policy, Goal::maximize, trials, 4), Ended{});
}

// Quadratic in the reports, this would take a minute for each policy.
TEST(EarlyEnd, AReportCostsTheSameHoweverManyCameBefore) {
  for (const EarlyEnd kind :
       {EarlyEnd::bandit, EarlyEnd::median_stopping, EarlyEnd::truncation_selection}) {
    Policy policy{kind};
    policy.slack_amount = 1;
    policy.percentage = 10;
    Standings standings(policy, Goal::minimize);
    const std::clock_t begun = std::clock();
    for (std::size_t i = 0; i < 4; ++i) standings.begin();
    for (int report = 0; report < 100'000; ++report) {
      for (std::size_t i = 0; i < 4; ++i) (void)standings.report(i, 1.0 / (1 + report));
    }
    EXPECT_LT((std::clock() - begun) / CLOCKS_PER_SEC, 5) << static_cast<int>(kind);
  }
}

// Of many judgements only some are kept; they compare trials that are equally old nevertheless.
TEST(Standings, AfterThousandsOfReportsJudgesMoreRarely) {
  Standings standings(bandit({}, 1), Goal::minimize);
  standings.begin();
  standings.begin();
  constexpr std::uint64_t kReports = 1'000'000;
  const auto value_at = [](std::uint64_t report) { return -static_cast<double>(report); };
  for (std::uint64_t i = 1; i <= kReports; ++i) (void)standings.report(0, value_at(i));
  std::uint64_t first = 0;  // that ended the one that is behind
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    const bool is_behind = i > 5000;
    const Ended ended = standings.report(1, value_at(i) + (is_behind ? 5.5 : 0.5));
    EXPECT_TRUE(ended.empty() || ended == Ended{1}) << i;
    if (first == 0 && !ended.empty()) first = i;
    if (first == 0) continue;
    EXPECT_EQ(ended.empty(), i % (i < 8192 ? 2 : i < 16384 ? 4 : 8) != 0) << i;
  }
  EXPECT_EQ(first, 5002U);  // every second is judged by then
}

}  // namespace
}  // namespace muster::sweep
