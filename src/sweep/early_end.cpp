// The rules of the three policies.
#include "sweep/early_end.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace muster::sweep {

bool is_better(Goal goal, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return goal == Goal::minimize ? a < b : a > b;
}

void Standings::begin() {
  running_.push_back(trials_.size());
  trials_.emplace_back();
}

std::vector<std::size_t> Standings::report(std::size_t trial, double value) {
  Trial& own = trials_[trial];
  ++own.reports;
  own.sum += value;
  if (!std::isnan(value) && (!own.best || is_better(goal_, value, *own.best))) own.best = value;
  if (!is_judged_at(own.reports)) return {};
  arrive(trial, value);
  const Interval& interval = intervals_[index_of(own.reports)];
  std::optional<double> bound;
  if (policy_.kind == EarlyEnd::bandit && interval.best) bound = bandit_bound(interval);
  if (policy_.kind == EarlyEnd::median_stopping) bound = median(interval);
  std::vector<std::size_t> ended;
  for (const std::size_t one : running_) {
    // Those that have not come here, or have come to a later interval, are judged there.
    if (trials_[one].judged_at != own.reports) continue;
    if (is_ended(one, interval, bound)) ended.push_back(one);
  }
  return ended;
}

void Standings::end(std::size_t trial, bool completed) {
  trials_[trial].runs = false;
  std::erase(running_, trial);
  if (!completed || !policy_.without_completed) return;
  const auto before = [this](const Ranked& a, const Ranked& b) { return comes_before(a, b); };
  for (std::size_t i = 0; i < trials_[trial].values.size(); ++i) {
    auto& ranked = intervals_[i].ranked;
    const Ranked own{trials_[trial].values[i], trial};
    ranked.erase(std::ranges::lower_bound(ranked, own, before));
  }
}

bool Standings::is_judged_at(std::uint64_t reports) const {
  if (policy_.kind == EarlyEnd::none) return false;
  return reports % policy_.interval == 0 && reports >= policy_.delay;
}

// Of the intervals from the first that is judged.
std::size_t Standings::index_of(std::uint64_t reports) const {
  const std::uint64_t least = std::max<std::uint64_t>(policy_.delay, 1);
  const std::uint64_t first = (least + policy_.interval - 1) / policy_.interval;
  return static_cast<std::size_t>(reports / policy_.interval - first);
}

// Of two that are equal, the later trial is worse.
bool Standings::comes_before(const Ranked& a, const Ranked& b) const {
  if (is_better(goal_, a.value, b.value)) return true;
  return !is_better(goal_, b.value, a.value) && a.trial < b.trial;
}

void Standings::arrive(std::size_t trial, double value) {
  Trial& own = trials_[trial];
  own.judged_at = own.reports;
  own.best_then = own.best;
  const std::size_t index = index_of(own.reports);
  if (intervals_.size() <= index) intervals_.resize(index + 1);
  Interval& interval = intervals_[index];
  const auto better = [this](double a, double b) { return is_better(goal_, a, b); };
  const auto before = [this](const Ranked& a, const Ranked& b) { return comes_before(a, b); };
  if (policy_.kind == EarlyEnd::bandit) {
    const bool first = own.best && !interval.best;
    if (first || (own.best && better(*own.best, *interval.best))) interval.best = own.best;
  } else if (policy_.kind == EarlyEnd::median_stopping) {
    const double average = own.sum / static_cast<double>(own.reports);
    auto& averages = interval.averages;
    averages.insert(std::ranges::upper_bound(averages, average, better), average);
  } else {
    const Ranked one{value, trial};
    interval.ranked.insert(std::ranges::upper_bound(interval.ranked, one, before), one);
    own.values.push_back(value);
  }
}

// Azure ML: the best divided by 1 + slack_factor, or less slack_amount, where more is better. The
// best one is never beyond it, whatever its sign.
double Standings::bandit_bound(const Interval& interval) const {
  const double best = *interval.best;
  const double factor = policy_.slack_factor.value_or(0);
  const double amount = policy_.slack_amount.value_or(0);
  if (goal_ == Goal::maximize) {
    return best - (policy_.slack_factor ? std::fabs(best) * factor / (1 + factor) : amount);
  }
  return best + (policy_.slack_factor ? std::fabs(best) * factor : amount);
}

// Of the running averages; not a number counts as worst.
double Standings::median(const Interval& interval) const {
  const auto& averages = interval.averages;
  const std::size_t half = averages.size() / 2;
  if (averages.size() % 2 == 1) return averages[half];
  return (averages[half - 1] + averages[half]) / 2;
}

bool Standings::is_ended(std::size_t trial, const Interval& interval,
                         std::optional<double> bound) const {
  if (policy_.kind == EarlyEnd::truncation_selection) return is_among_last(trial, interval);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return bound && is_better(goal_, *bound, trials_[trial].best_then.value_or(kNone));
}

// By what trials reported at this interval.
bool Standings::is_among_last(std::size_t trial, const Interval& interval) const {
  const auto before = [this](const Ranked& a, const Ranked& b) { return comes_before(a, b); };
  const auto& ranked = interval.ranked;
  const Ranked own{trials_[trial].values.back(), trial};
  const auto place = std::ranges::lower_bound(ranked, own, before) - ranked.begin();
  const std::size_t most = ranked.size() * policy_.percentage / 100;
  return static_cast<std::size_t>(place) >= ranked.size() - most;
}

}  // namespace muster::sweep
