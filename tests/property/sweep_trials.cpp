// Property: whatever trials do, a sweep runs them as a naive twin says that does everything anew
// from the list of events; and simulated sweeps with faults come to their end.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "sweep/dice.hpp"
#include "sweep/trials.hpp"

namespace muster::sweep {
namespace {

using base::Instant;
using std::chrono::seconds;

constexpr Instant kBegin{std::chrono::seconds(1)};

// Sizes grow with the run; choices are to be tried in full from the first.
std::uint32_t below(std::uint32_t end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0u, end));
}

Policy any_policy() {
  Policy policy;
  policy.kind = static_cast<EarlyEnd>(below(4));
  policy.interval = 1 + below(3);
  policy.delay = below(4);
  if (below(2) == 0) {
    policy.slack_amount = below(4);
  } else {
    policy.slack_factor = 0.5 * below(3);
  }
  policy.percentage = 1 + below(99);
  policy.without_completed = below(2) == 0;
  return policy;
}

Settings any_settings() {
  Settings settings;
  settings.space = {{"x", Law::uniform, 0, 1, 0, 0, {}},
                    {"c", Law::choice, 0, 1, 0, 0, {{"a", {}}, {"b", {}}, {"c", {}}}}};
  settings.sampling.method = static_cast<Method>(below(4));
  if (settings.sampling.method == Method::grid) settings.space.erase(settings.space.begin());
  settings.sampling.seed = below(5);
  settings.goal = below(2) == 0 ? Goal::minimize : Goal::maximize;
  settings.limits.trials = 1 + below(12);
  settings.limits.at_once = below(5);
  if (below(2) == 0) settings.limits.whole = seconds(1 + below(40));
  if (below(2) == 0) settings.limits.one = seconds(1 + below(10));
  settings.policy = any_policy();
  return settings;
}

// ---- the twin -----------------------------------------------------------------------------------

// It keeps plain lists and looks through all of them each time.
class Twin {
 public:
  explicit Twin(const Settings& settings) : settings_(settings) {
    wanted_ = settings.limits.trials;
    if (settings.sampling.method == Method::grid) wanted_ = std::min<std::size_t>(wanted_, 3);
    most_ = settings.limits.at_once == 0 ? wanted_ : settings.limits.at_once;
  }

  struct One {
    std::vector<double> values;
    bool runs = true;
    bool well = false;
    bool failed = false;
    bool told = false;
    std::optional<Instant> starts;
  };

  // What must have been started by now; nothing starts once the sweep ends.
  [[nodiscard]] std::size_t to_start() const {
    const std::size_t run = running();
    if (ends || run >= most_) return 0;
    return std::min(most_ - run, wanted_ - all.size());
  }

  [[nodiscard]] std::size_t running() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [](const One& o) { return o.runs; }));
  }

  // Straight from the documentation, for one trial at a time.
  [[nodiscard]] bool policy_ends(std::size_t judged, std::size_t reporter) const {
    const std::size_t n = all[reporter].values.size();
    const Policy& policy = settings_.policy;
    const One& one = all[judged];
    if (n % policy.interval != 0 || n < policy.delay) return false;
    const bool came_further = one.values.size() >= n + policy.interval;
    if (!one.runs || one.values.size() < n || came_further) return false;
    switch (policy.kind) {
      case EarlyEnd::none:
        return false;
      case EarlyEnd::bandit:
        return beyond_slack(best_of(one, n), n);
      case EarlyEnd::median_stopping:
        return better(median_of_averages(n), best_of(one, n));
      case EarlyEnd::truncation_selection:
        return is_among_last(judged, n);
    }
    return false;
  }

  [[nodiscard]] std::optional<std::size_t> best() const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].well || all[i].values.empty()) continue;
      const bool first = !found;
      if (first || better(last(i), last(*found))) found = i;
    }
    return found;
  }

  [[nodiscard]] bool given_up() const {
    std::size_t failed = 0;
    for (const std::size_t i : order) {
      if (!all[i].failed) return false;
      if (++failed == std::min(std::max<std::size_t>(3, std::min(most_, wanted_)), wanted_)) {
        return true;
      }
    }
    return false;
  }

  std::vector<One> all;
  std::vector<std::size_t> order;  // in which trials ended
  bool ends = false;

 private:
  [[nodiscard]] bool better(double a, double b) const {
    return settings_.goal == Goal::minimize ? a < b : a > b;
  }
  [[nodiscard]] double best_of(const One& one, std::size_t n) const {
    const auto end = one.values.begin() + std::ptrdiff_t(n);
    return settings_.goal == Goal::minimize ? *std::min_element(one.values.begin(), end)
                                            : *std::max_element(one.values.begin(), end);
  }
  [[nodiscard]] double last(std::size_t i) const { return best_of(all[i], all[i].values.size()); }

  // The values here are never negative.
  [[nodiscard]] bool beyond_slack(double value, std::size_t n) const {
    double top = value;
    for (const One& one : all) {
      if (one.values.size() >= n && better(best_of(one, n), top)) top = best_of(one, n);
    }
    const bool less = settings_.goal == Goal::minimize;
    if (settings_.policy.slack_factor) {
      const double factor = 1 + *settings_.policy.slack_factor;
      return less ? value > top * factor + 1e-9 : value < top / factor - 1e-9;
    }
    const double amount = *settings_.policy.slack_amount;
    return less ? value > top + amount : value < top - amount;
  }

  [[nodiscard]] double median_of_averages(std::size_t n) const {
    std::multiset<double> averages;
    for (const One& one : all) {
      if (one.values.size() < n) continue;
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += one.values[i];
      averages.insert(sum / double(n));
    }
    const auto middle = std::next(averages.begin(), std::ptrdiff_t(averages.size() / 2));
    return averages.size() % 2 == 1 ? *middle : (*middle + *std::prev(middle)) / 2;
  }

  [[nodiscard]] bool is_among_last(std::size_t judged, std::size_t n) const {
    std::size_t there = 0;
    std::size_t worse = 0;
    const double own = all[judged].values[n - 1];
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].values.size() < n) continue;
      if (settings_.policy.without_completed && all[i].well) continue;
      ++there;
      const double value = all[i].values[n - 1];
      if (better(own, value) || (value == own && i > judged)) ++worse;
    }
    return worse < there * settings_.policy.percentage / 100;
  }

  Settings settings_;
  std::size_t wanted_ = 0;
  std::size_t most_ = 0;
};

// ---- both side by side --------------------------------------------------------------------------

class Play {
 public:
  explicit Play(const Settings& settings)
      : settings_(settings), trials_(settings), twin_(settings) {
    SweepEffects out;
    trials_.begin(now_, out);
    heard(out, {}, {});
  }

  [[nodiscard]] bool is_over() const { return trials_.is_over(); }
  [[nodiscard]] const std::vector<SweepEffects>& told() const { return told_; }

  // Any event that can come now.
  void step() {
    SweepEffects out;
    const std::uint32_t kind = below(20);
    if (kind < 3) {
      pass(out);
    } else if (kind == 3 && below(4) == 0) {
      trials_.interrupt(out);
      std::set<std::size_t> stopped;
      for (std::size_t i = 0; i < twin_.all.size(); ++i) {
        if (twin_.all[i].runs) stopped.insert(i);
      }
      twin_.ends = true;
      heard(out, stopped, SweepEnd::interrupted);
    } else if (kind < 7) {
      start_running(any_running());
    } else if (kind < 13) {
      report(any_running(), below(8), out);
    } else {
      end(any_running(), below(4) != 0, out);
    }
    trials_.check();
  }

 private:
  std::size_t any_running() {
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i < twin_.all.size(); ++i) {
      if (twin_.all[i].runs) running.push_back(i);
    }
    return running[below(static_cast<std::uint32_t>(running.size()))];
  }

  void start_running(std::size_t trial) {
    trials_.started(trial, now_);
    Twin::One& one = twin_.all[trial];
    if (!one.starts && !one.told) one.starts = now_;
  }

  void report(std::size_t trial, double value, SweepEffects& out) {
    trials_.reported(trial, value, out);
    twin_.all[trial].values.push_back(value);
    std::set<std::size_t> stopped;
    for (std::size_t i = 0; i < twin_.all.size() && !twin_.ends; ++i) {
      if (!twin_.all[i].told && twin_.policy_ends(i, trial)) stopped.insert(i);
    }
    heard(out, stopped, {});
  }

  void end(std::size_t trial, bool well, SweepEffects& out) {
    trials_.ended(trial, well, out);
    Twin::One& one = twin_.all[trial];
    one.runs = false;
    one.well = well;
    one.failed = !well && !one.told;
    twin_.order.push_back(trial);
    std::set<std::size_t> stopped;
    if (!twin_.ends && twin_.given_up()) {
      twin_.ends = true;
      for (std::size_t i = 0; i < twin_.all.size(); ++i) {
        if (twin_.all[i].runs) stopped.insert(i);
      }
      heard(out, stopped, SweepEnd::first_failed);
    } else {
      heard(out, stopped, {});
    }
  }

  void pass(SweepEffects& out) {
    now_ += seconds(below(8));
    trials_.pass(now_, out);
    std::set<std::size_t> stopped;
    const auto& limits = settings_.limits;
    const bool late = limits.whole && now_ >= kBegin + *limits.whole && !twin_.ends;
    for (std::size_t i = 0; i < twin_.all.size(); ++i) {
      const Twin::One& one = twin_.all[i];
      if (!one.runs) continue;
      const bool own = limits.one && one.starts && now_ >= *one.starts + *limits.one && !one.told;
      if (own || late) stopped.insert(i);
    }
    std::optional<SweepEnd> ending;
    if (late) ending = SweepEnd::out_of_time;
    if (late) twin_.ends = true;
    heard(out, stopped, ending);
  }

  // Compares the effects of one event with what the twin expects.
  void heard(const SweepEffects& out, const std::set<std::size_t>& stopped,
             std::optional<SweepEnd> ending) {
    if (ending) ending_ = ending;
    const std::size_t to_start = twin_.to_start();
    const std::size_t first = twin_.all.size();
    std::set<std::size_t> told;
    std::size_t started = 0;
    std::optional<SweepOver> over;
    for (const SweepEffect& effect : out) {
      RC_ASSERT(!over);  // it is the last one
      if (const auto* stop = std::get_if<StopTrial>(&effect)) told.insert(stop->trial);
      if (const auto* start = std::get_if<StartTrial>(&effect)) {
        RC_ASSERT(start->trial == first + started++);
      }
      if (const auto* end = std::get_if<SweepOver>(&effect)) over = *end;
    }
    RC_ASSERT(told == stopped);
    for (const std::size_t one : told) twin_.all[one].told = true;
    RC_ASSERT(started == to_start);
    twin_.all.resize(first + started);
    RC_ASSERT(over.has_value() == (twin_.running() == 0));
    if (over) {
      RC_ASSERT(over->best == twin_.best());
      const SweepEnd natural = over->best ? SweepEnd::completed : SweepEnd::no_result;
      RC_ASSERT(over->end == ending_.value_or(natural));
    }
    told_.push_back(out);
  }

  Settings settings_;
  Instant now_ = kBegin;
  Trials trials_;
  Twin twin_;
  std::optional<SweepEnd> ending_;
  std::vector<SweepEffects> told_;
};

RC_GTEST_PROP(SweepTrials, AreThoseOfANaiveTwin, ()) {
  Play play(any_settings());
  for (int i = 0; i < 400 && !play.is_over(); ++i) play.step();
  RC_ASSERT(play.is_over());
}

// ---- a simulated sweep --------------------------------------------------------------------------

// Trials on so many slots: each takes its time, reports, and fails now and then.
class Simulation {
 public:
  Simulation(const Settings& settings, std::uint64_t seed, double faults)
      : trials_(settings), dice_(seed), faults_(faults) {}

  void play() {
    SweepEffects out;
    trials_.begin(Instant{}, out);
    carry_out(out);
    std::size_t steps = 0;
    while (!trials_.is_over() && ++steps < 1'000'000) {
      const auto [when, event] = *agenda_.begin();
      agenda_.erase(agenda_.begin());
      out.clear();
      trials_.pass(when.first, out);
      if (!trials_.is_over()) happen(when.first, event, out);
      carry_out(out);
      trials_.check();
    }
  }

  [[nodiscard]] const Trials& trials() const { return trials_; }
  [[nodiscard]] const std::vector<SweepEffect>& told() const { return told_; }

 private:
  enum class What : std::uint8_t { starts, reports, ends };
  struct Event {
    std::size_t trial;
    What what;
  };

  void at(Instant when, Event event) { agenda_.insert({{when, counter_++}, event}); }

  void happen(Instant now, Event event, SweepEffects& out) {
    if (!runs_.contains(event.trial)) return;  // it has ended meanwhile
    now_ = now;
    switch (event.what) {
      case What::starts:
        trials_.started(event.trial, now);
        at(now + seconds(1), {event.trial, What::reports});
        break;
      case What::reports: {
        const double x = *trials_.trials()[event.trial].point[0];
        const auto age = double(trials_.standings().reports(event.trial));
        if (dice_.share() >= faults_) trials_.reported(event.trial, x + 1 / (1 + age), out);
        const bool done = age >= 9 || dice_.share() < faults_;
        at(now + seconds(1), {event.trial, done ? What::ends : What::reports});
        break;
      }
      case What::ends:
        runs_.erase(event.trial);
        trials_.ended(event.trial, dice_.share() >= faults_, out);
        break;
    }
  }

  void carry_out(const SweepEffects& out) {
    for (const SweepEffect& effect : out) {
      told_.push_back(effect);
      if (const auto* start = std::get_if<StartTrial>(&effect)) {
        runs_.insert(start->trial);
        most_ = std::max(most_, runs_.size());
        at(now_ + seconds(dice_.share() < faults_ ? 20 : 1), {start->trial, What::starts});
      } else if (const auto* stop = std::get_if<StopTrial>(&effect)) {
        // Some take a while to go, some end well after all.
        at(now_ + seconds(dice_.share() < faults_ ? 5 : 0), {stop->trial, What::ends});
      }
    }
  }

  Trials trials_;
  Dice dice_;
  double faults_;
  Instant now_{};
  std::uint64_t counter_ = 0;
  std::multimap<std::pair<Instant, std::uint64_t>, Event> agenda_;
  std::set<std::size_t> runs_;
  std::size_t most_ = 0;
  std::vector<SweepEffect> told_;
};

RC_GTEST_PROP(SweepSimulation, ComesToItsEndAndIsTheSameEachTime, ()) {
  Settings settings = any_settings();
  if (settings.sampling.method == Method::grid) settings.sampling.method = Method::sobol;
  settings.space.front().law = Law::uniform;
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const double faults = 0.1 * below(6);
  Simulation first(settings, seed, faults);
  first.play();
  RC_ASSERT(first.trials().is_over());
  Simulation second(settings, seed, faults);
  second.play();
  RC_ASSERT(first.told() == second.told());
  RC_ASSERT(first.trials() == second.trials());
}

// Without faults and with a policy the best point is found all the same, in less time.
TEST(SweepSimulation, EarlyEndsSpareReportsAndKeepTheBest) {
  Settings settings{{{"x", Law::uniform, 0, 1, 0, 0, {}}}};
  settings.limits.trials = 60;
  settings.limits.at_once = 4;
  std::vector<std::size_t> reports;
  std::vector<std::optional<std::size_t>> best;
  for (const EarlyEnd kind : {EarlyEnd::none, EarlyEnd::median_stopping, EarlyEnd::bandit,
                              EarlyEnd::truncation_selection}) {
    settings.policy.kind = kind;
    settings.policy.slack_amount = 0.1;
    settings.policy.percentage = 30;
    Simulation simulation(settings, 1, 0);
    simulation.play();
    std::size_t count = 0;
    const Standings& standings = simulation.trials().standings();
    for (std::size_t i = 0; i < standings.size(); ++i) count += standings.reports(i);
    reports.push_back(count);
    best.push_back(simulation.trials().outcome()->best);
  }
  for (std::size_t i = 1; i < reports.size(); ++i) {
    EXPECT_LT(reports[i] * 4, reports[0] * 3) << i;
    EXPECT_EQ(best[i], best[0]) << i;
  }
}

}  // namespace
}  // namespace muster::sweep
