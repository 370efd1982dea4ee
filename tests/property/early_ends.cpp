// Property: what the standings keep from report to report decides as a naive judge does that looks
// through all reports each time.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <span>

#include "sweep/early_end.hpp"

namespace muster::sweep {
namespace {

// What a trial has reported, and whether more is to come.
struct Progress {
  std::vector<double> reported;
  bool runs = true;
  bool completed = false;  // neither of the two: it failed, or was ended
};

class NaiveJudgement {
 public:
  NaiveJudgement(const Policy& policy, Goal goal, std::span<const Progress> trials,
                 std::size_t interval)
      : policy_(policy), goal_(goal), trials_(trials), interval_(interval) {}

  [[nodiscard]] std::vector<std::size_t> ended() const {
    switch (policy_.kind) {
      case EarlyEnd::none:
        break;
      case EarlyEnd::bandit:
        return worse_than(bandit_bound());
      case EarlyEnd::median_stopping:
        return worse_than(median());
      case EarlyEnd::truncation_selection:
        return last_ones();
    }
    return {};
  }

 private:
  [[nodiscard]] bool is_there(const Progress& trial) const {
    return trial.reported.size() >= interval_;
  }

  // It is at this interval, and has not come to the next one that is judged.
  [[nodiscard]] bool is_judged(const Progress& trial) const {
    const bool here = trial.reported.size() / policy_.interval * policy_.interval == interval_;
    return trial.runs && is_there(trial) && here;
  }

  [[nodiscard]] double best_of(const Progress& trial) const {
    double best = trial.reported.front();
    for (std::size_t i = 1; i < interval_; ++i) {
      if (is_better(goal_, trial.reported[i], best)) best = trial.reported[i];
    }
    return best;
  }

  [[nodiscard]] double average_of(const Progress& trial) const {
    double sum = 0;
    for (std::size_t i = 0; i < interval_; ++i) sum += trial.reported[i];
    return sum / static_cast<double>(interval_);
  }

  [[nodiscard]] std::vector<std::size_t> worse_than(double bound) const {
    std::vector<std::size_t> ended;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      if (is_judged(trials_[i]) && is_better(goal_, bound, best_of(trials_[i]))) ended.push_back(i);
    }
    return ended;
  }

  // Azure ML: the best divided by 1 + slack_factor, or less slack_amount, where more is better. The
  // best one is never beyond it, whatever its sign.
  [[nodiscard]] double bandit_bound() const {
    std::optional<double> best;
    for (const Progress& trial : trials_) {
      if (!is_there(trial)) continue;
      if (!best || is_better(goal_, best_of(trial), *best)) best = best_of(trial);
    }
    const double factor = policy_.slack_factor.value_or(0);
    if (goal_ == Goal::maximize) {
      const double slack = policy_.slack_factor ? std::fabs(*best) * factor / (1 + factor)
                                                : policy_.slack_amount.value_or(0);
      return *best - slack;
    }
    const double slack =
        policy_.slack_factor ? std::fabs(*best) * factor : policy_.slack_amount.value_or(0);
    return *best + slack;
  }

  // Of the running averages; not a number counts as worst.
  [[nodiscard]] double median() const {
    std::vector<double> averages;
    for (const Progress& trial : trials_) {
      if (is_there(trial)) averages.push_back(average_of(trial));
    }
    std::ranges::sort(averages, [&](double a, double b) { return is_better(goal_, a, b); });
    const std::size_t half = averages.size() / 2;
    if (averages.size() % 2 == 1) return averages[half];
    return (averages[half - 1] + averages[half]) / 2;
  }

  // By what they reported at this interval. Of two that are equal, the later trial is worse.
  [[nodiscard]] std::vector<std::size_t> last_ones() const {
    std::vector<std::size_t> ranked;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      const bool counts = !policy_.without_completed || !trials_[i].completed;
      if (is_there(trials_[i]) && counts) ranked.push_back(i);
    }
    const auto value = [&](std::size_t i) { return trials_[i].reported[interval_ - 1]; };
    std::ranges::stable_sort(
        ranked, [&](std::size_t a, std::size_t b) { return is_better(goal_, value(a), value(b)); });
    const std::size_t most = ranked.size() * policy_.percentage / 100;
    std::vector<std::size_t> ended;
    for (std::size_t i = ranked.size() - most; i < ranked.size(); ++i) {
      if (is_judged(trials_[ranked[i]])) ended.push_back(ranked[i]);
    }
    std::ranges::sort(ended);
    return ended;
  }

  const Policy& policy_;
  Goal goal_;
  std::span<const Progress> trials_;
  std::size_t interval_;
};

std::vector<std::size_t> naively_ended(const Policy& policy, Goal goal,
                                       std::span<const Progress> trials, std::size_t reporter) {
  const std::size_t interval = trials[reporter].reported.size();
  if (policy.kind == EarlyEnd::none || interval == 0) return {};
  if (interval % policy.interval != 0 || interval < policy.delay) return {};
  return NaiveJudgement(policy, goal, trials, interval).ended();
}

std::uint32_t any_below(std::uint32_t end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0u, end));
}

// Few values, so that many are equal; some are none.
double any_value() {
  const std::uint32_t drawn = any_below(12);
  if (drawn == 0) return std::numeric_limits<double>::quiet_NaN();
  if (drawn == 1) return std::numeric_limits<double>::infinity();
  return 0.5 * drawn - 3;
}

Policy any_rule() {
  Policy policy;
  policy.kind = static_cast<EarlyEnd>(any_below(4));
  policy.interval = 1 + any_below(4);
  policy.delay = any_below(9);
  if (any_below(2) == 0) {
    policy.slack_amount = any_below(4);
  } else {
    policy.slack_factor = 0.25 * any_below(4);
  }
  policy.percentage = 1 + any_below(99);
  policy.without_completed = any_below(2) == 0;
  return policy;
}

std::optional<double> naive_best(Goal goal, const std::vector<double>& values) {
  std::optional<double> best;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (!best || is_better(goal, value, *best)) best = value;
  }
  return best;
}

RC_GTEST_PROP(EarlyEnds, AreThoseOfANaiveJudge, ()) {
  const Policy policy = any_rule();
  const Goal goal = any_below(2) == 0 ? Goal::minimize : Goal::maximize;
  Standings standings(policy, goal);
  std::vector<Progress> trials;
  for (std::uint32_t left = 400; left > 0; --left) {
    const std::uint32_t what = any_below(20);
    if (trials.size() < 3 || (what == 0 && trials.size() < 12)) {
      trials.emplace_back();
      standings.begin();
      continue;
    }
    const std::size_t one = any_below(static_cast<std::uint32_t>(trials.size()));
    if (!trials[one].runs) continue;
    if (what == 1) {
      trials[one].runs = false;
      trials[one].completed = any_below(2) == 0;
      standings.end(one, trials[one].completed);
      continue;
    }
    if (what == 2) {
      trials[one].reported.clear();
      standings.forget(one);
      continue;
    }
    const double value = any_value();
    // An infinity counts as no number.
    trials[one].reported.push_back(std::isfinite(value) ? value
                                                        : std::numeric_limits<double>::quiet_NaN());
    RC_ASSERT(standings.report(one, value) == naively_ended(policy, goal, trials, one));
    RC_ASSERT(standings.best(one) == naive_best(goal, trials[one].reported));
  }
}

}  // namespace
}  // namespace muster::sweep
