// The rules of the three policies.
#include "sweep/early_end.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace muster::sweep {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// Multiples of the policy's interval are all judged below this one, from here on every second,
// from twice that on every fourth, and so on: each doubling adds half as many.
constexpr std::uint64_t kAllJudged = 4096;

// 2 to the power of this is how far multiples are apart that are judged.
int thinned(std::uint64_t multiple) {
  return static_cast<int>(std::bit_width(multiple / kAllJudged));
}

// How many are judged up to this one.
std::uint64_t judged_until(std::uint64_t multiple) {
  const int steps = thinned(multiple);
  return kAllJudged / 2 * static_cast<std::uint64_t>(steps) + (multiple >> steps);
}

}  // namespace

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
  // An infinity is what an overflow has left, and the best of nothing.
  if (!std::isfinite(value)) own.uncounted = std::exchange(value, kNoNumber);
  ++own.reports;
  own.sum += value;
  if (!std::isnan(value) && (!own.best || is_better(goal_, value, *own.best))) own.best = value;
  if (!is_judged_at(own.reports)) return {};
  arrive(trial, value);
  const Interval& interval = intervals_[index_of(own.reports)];
  const double bound = bound_of(interval);
  std::vector<std::size_t> ended;
  for (const std::size_t one : running_) {
    // Those that have not come here, or have come to a later interval, are judged there.
    if (trials_[one].judged_at != own.reports) continue;
    if (is_ended(one, interval, bound)) ended.push_back(one);
  }
  return ended;
}

void Standings::forget(std::size_t trial) {
  leave(trial);
  Trial fresh;
  fresh.runs = trials_[trial].runs;
  trials_[trial] = fresh;
}

void Standings::end(std::size_t trial, bool completed) {
  trials_[trial].runs = false;
  std::erase(running_, trial);
  const bool truncates = policy_.kind == EarlyEnd::truncation_selection;
  if (completed && truncates && policy_.without_completed) leave(trial);
}

bool Standings::is_judged_at(std::uint64_t reports) const {
  if (policy_.kind == EarlyEnd::none) return false;
  if (reports % policy_.interval != 0 || reports < policy_.delay) return false;
  const std::uint64_t multiple = reports / policy_.interval;
  return multiple % (std::uint64_t{1} << thinned(multiple)) == 0;
}

// Counted from the first that is judged.
std::size_t Standings::index_of(std::uint64_t reports) const {
  const std::uint64_t least = std::max(policy_.delay, 1U);
  const std::uint64_t too_early = (least - 1) / policy_.interval;
  return static_cast<std::size_t>(judged_until(reports / policy_.interval) -
                                  judged_until(too_early) - 1);
}

// Of two that are equal, the later trial is worse.
bool Standings::comes_before(const Ranked& a, const Ranked& b) const {
  if (is_better(goal_, a.value, b.value)) return true;
  return !is_better(goal_, b.value, a.value) && a.trial < b.trial;
}

// Where it stands, or would.
std::size_t Standings::place_of(const Ranked& one, const Interval& interval) const {
  const auto before = [this](const Ranked& a, const Ranked& b) { return comes_before(a, b); };
  const auto found = std::ranges::lower_bound(interval, one, before);
  return static_cast<std::size_t>(found - interval.begin());
}

double Standings::what_counts(const Trial& trial, double last) const {
  if (policy_.kind == EarlyEnd::bandit) return trial.best.value_or(kNoNumber);
  if (policy_.kind == EarlyEnd::truncation_selection) return last;
  return trial.sum / static_cast<double>(trial.reports);
}

void Standings::arrive(std::size_t trial, double value) {
  Trial& own = trials_[trial];
  own.judged_at = own.reports;
  own.best_then = own.best;
  const std::size_t index = index_of(own.reports);
  if (intervals_.size() <= index) intervals_.resize(index + 1);
  const Ranked one{what_counts(own, value), trial};
  Interval& interval = intervals_[index];
  interval.insert(interval.begin() + static_cast<std::ptrdiff_t>(place_of(one, interval)), one);
  own.values.push_back(one.value);
}

void Standings::leave(std::size_t trial) {
  const std::vector<double> values = std::exchange(trials_[trial].values, {});
  for (std::size_t i = 0; i < values.size(); ++i) {
    Interval& interval = intervals_[i];
    const std::size_t place = place_of({values[i], trial}, interval);
    interval.erase(interval.begin() + static_cast<std::ptrdiff_t>(place));
  }
}

// Azure ML: the best divided by 1 + slack_factor, or less slack_amount, where more is better. The
// best one is never beyond it, whatever its sign.
double Standings::bandit_bound(double best) const {
  const double factor = policy_.slack_factor.value_or(0);
  const double amount = policy_.slack_amount.value_or(0);
  if (goal_ == Goal::maximize) {
    return best - (policy_.slack_factor ? std::fabs(best) * factor / (1 + factor) : amount);
  }
  return best + (policy_.slack_factor ? std::fabs(best) * factor : amount);
}

// What a trial's best must not be worse than: the slack, or the median of the running averages, in
// which not a number counts as worst. Nothing is worse than not a number.
double Standings::bound_of(const Interval& interval) const {
  if (policy_.kind == EarlyEnd::truncation_selection) return kNoNumber;
  if (policy_.kind == EarlyEnd::bandit) return bandit_bound(interval.front().value);
  const std::size_t half = interval.size() / 2;
  if (interval.size() % 2 == 1) return interval[half].value;
  return (interval[half - 1].value + interval[half].value) / 2;
}

bool Standings::is_ended(std::size_t trial, const Interval& interval, double bound) const {
  const Trial& one = trials_[trial];
  if (policy_.kind != EarlyEnd::truncation_selection) {
    return is_better(goal_, bound, one.best_then.value_or(kNoNumber));
  }
  const std::size_t most = interval.size() * policy_.percentage / 100;
  return place_of({one.values.back(), trial}, interval) >= interval.size() - most;
}

}  // namespace muster::sweep
