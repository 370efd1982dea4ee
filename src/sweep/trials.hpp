// Trials: which trial of a sweep runs when, which are ended, and which is the best. A pure machine:
// an event and the time in, effects out.
//
//   begun ──▶ running ──ends with 0──▶ completed
//                │ └──ends otherwise──▶ failed
//                └──told to stop, then ends otherwise──▶ ended early, out of time, or stopped
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "sweep/early_end.hpp"
#include "sweep/sampler.hpp"
#include "sweep/settings.hpp"

namespace muster::sweep {

enum class TrialState : std::uint8_t {
  running,
  completed,
  failed,
  ended_early,  // by the policy
  out_of_time,  // by its own limit or by the sweep's
  stopped,      // with the whole sweep
  left_out,     // nobody wants it to run
};

enum class SweepEnd : std::uint8_t {
  completed,     // every trial has ended, and there is a best one
  out_of_time,   // the sweep's limit; there may be a best one
  first_failed,  // so many trials failed before any did not that the others were given up
  no_result,     // every trial has ended, and none completed with a metric
  interrupted,
};

struct StartTrial {
  std::size_t trial = 0;
  Point point;
  bool operator==(const StartTrial&) const = default;
};
struct StopTrial {
  std::size_t trial = 0;
  TrialState why = TrialState::stopped;
  bool operator==(const StopTrial&) const = default;
};
// No trial runs. The last effect.
struct SweepOver {
  SweepEnd end = SweepEnd::completed;
  std::optional<std::size_t> best = {};
  bool operator==(const SweepOver&) const = default;
};
using SweepEffect = std::variant<StartTrial, StopTrial, SweepOver>;
using SweepEffects = std::vector<SweepEffect>;

// The sweep's outputs are those of its best trial.
[[nodiscard]] inline bool succeeded(const SweepOver& over) {
  return over.best && (over.end == SweepEnd::completed || over.end == SweepEnd::out_of_time);
}

// Of a sweep that goes on: the points of trials that an earlier one has begun, and trials that do
// not run.
struct Begun {
  std::map<std::size_t, Point> points = {};
  std::set<std::size_t> left_out = {};
  bool operator==(const Begun&) const = default;
};

class Trials {
 public:
  struct Trial {
    Point point;
    TrialState state = TrialState::running;
    std::optional<TrialState> told = {};  // why it shall stop
    std::optional<base::Instant> limit = {};
    std::optional<std::uint64_t> speaker = {};  // the rank whose reports count
    bool operator==(const Trial&) const = default;
  };

  explicit Trials(Settings settings, Begun begun = {});

  void begin(base::Instant now, SweepEffects& out);
  // Its processes run; until then its time limit does not.
  void started(std::size_t trial, base::Instant now);
  // The primary metric. Of a trial that has ended: nothing happens. Where several ranks report it,
  // the lowest one counts; what others said before it was heard is forgotten.
  void reported(std::size_t trial, double value, SweepEffects& out, std::uint64_t rank = 0);
  void ended(std::size_t trial, bool well, SweepEffects& out);
  void pass(base::Instant now, SweepEffects& out);
  // The user wants the sweep to end; once more: trials are told again.
  void interrupt(SweepEffects& out);

  // When pass() has something to do.
  [[nodiscard]] std::optional<base::Instant> next() const;
  [[nodiscard]] bool is_over() const { return over_.has_value(); }
  // Nothing more starts.
  [[nodiscard]] bool is_ending() const { return ending_.has_value(); }
  [[nodiscard]] const std::optional<SweepOver>& outcome() const { return over_; }
  // Those that have begun.
  [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }
  [[nodiscard]] const Standings& standings() const { return standings_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  // The best value that a trial has reported.
  [[nodiscard]] std::optional<double> result(std::size_t trial) const {
    return standings_.best(trial);
  }
  // The last that it has reported, if none of its values counts.
  [[nodiscard]] std::optional<double> uncounted(std::size_t trial) const {
    return result(trial) ? std::nullopt : standings_.uncounted(trial);
  }
  // Of those that have completed, so far.
  [[nodiscard]] std::optional<std::size_t> best() const;
  // So many failures before anything else give a sweep up: three, or all of the first that run side
  // by side if those are more. Azure ML has such a rule, without saying how many.
  [[nodiscard]] std::uint64_t failures_allowed() const;

  // Asserts what holds between two events; takes time, so only tests ask.
  void check() const;
  bool operator==(const Trials&) const = default;

 private:
  void start_what_fits(SweepEffects& out);
  [[nodiscard]] Point next_point() const;
  void leave_out();
  void tell(std::size_t trial, TrialState why, SweepEffects& out);
  void end_all(SweepEnd why, SweepEffects& out);
  void close(SweepEffects& out);
  [[nodiscard]] std::vector<Tried> tried() const;
  [[nodiscard]] std::uint64_t at_once() const;

  Settings settings_;
  Begun begun_;
  std::uint64_t wanted_ = 0;  // trials
  std::vector<Trial> trials_;
  Standings standings_;  // of the same trials
  std::uint64_t running_ = 0;
  std::uint64_t failed_first_ = 0;  // before any ended otherwise
  bool all_failed_ = true;          // so far
  std::optional<base::Instant> limit_;
  std::optional<SweepEnd> ending_;
  std::optional<SweepOver> over_;
};

}  // namespace muster::sweep
