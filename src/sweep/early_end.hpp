// Early ends: which trials a policy ends before they are done, as Azure ML documents it.
//
// A trial's reports of the primary metric are counted: the Nth is its interval N. A policy judges
// at each multiple of `interval` that is not below `delay`, and compares what trials had reported
// when they were as old. What it compares is kept from report to report, so that a report costs the
// same however many came before it. After thousands of judgements a trial is judged more and more
// rarely, so that what is kept stays small however much a trial reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sweep/settings.hpp"

namespace muster::sweep {

// Whether a is better than b. Nothing is worse than what is not a number.
[[nodiscard]] bool is_better(Goal goal, double a, double b);

// What all trials that have begun have reported, as far as the policy asks for it.
class Standings {
 public:
  Standings(const Policy& policy, Goal goal) : policy_(policy), goal_(goal) {}

  void begin();  // the next trial
  // Which trials that run are to be ended now, ascending.
  [[nodiscard]] std::vector<std::size_t> report(std::size_t trial, double value);
  // It has reported nothing yet: what it has counts no more.
  void forget(std::size_t trial);
  void end(std::size_t trial, bool completed);

  [[nodiscard]] bool runs(std::size_t trial) const { return trials_[trial].runs; }
  [[nodiscard]] std::uint64_t reports(std::size_t trial) const { return trials_[trial].reports; }
  // The best report so far; what is not a number does not count.
  [[nodiscard]] std::optional<double> best(std::size_t trial) const { return trials_[trial].best; }
  // The last report so far that is not a number, or infinite.
  [[nodiscard]] std::optional<double> uncounted(std::size_t trial) const {
    return trials_[trial].uncounted;
  }
  [[nodiscard]] std::size_t size() const { return trials_.size(); }
  bool operator==(const Standings&) const = default;

 private:
  struct Trial {
    bool runs = true;
    std::uint64_t reports = 0;
    double sum = 0;
    std::optional<double> best = {};
    std::optional<double> uncounted = {};
    std::uint64_t judged_at = 0;           // the last interval that is judged; 0: none yet
    std::optional<double> best_then = {};  // at that one
    std::vector<double> values = {};       // what counts for the policy, at each of them
    bool operator==(const Trial&) const = default;
  };
  // What counts for the policy: the best, the average, or the last report until an interval.
  struct Ranked {
    double value = 0;
    std::size_t trial = 0;
    bool operator==(const Ranked&) const = default;
  };
  using Interval = std::vector<Ranked>;  // of the trials that have come so far; the best first

  [[nodiscard]] bool is_judged_at(std::uint64_t reports) const;
  [[nodiscard]] std::size_t index_of(std::uint64_t reports) const;
  [[nodiscard]] bool comes_before(const Ranked& a, const Ranked& b) const;
  [[nodiscard]] std::size_t place_of(const Ranked& one, const Interval& interval) const;
  [[nodiscard]] double what_counts(const Trial& trial, double last) const;
  void arrive(std::size_t trial, double value);
  void leave(std::size_t trial);
  [[nodiscard]] double bandit_bound(double best) const;
  [[nodiscard]] double bound_of(const Interval& interval) const;
  [[nodiscard]] bool is_ended(std::size_t trial, const Interval& interval, double bound) const;

  Policy policy_;
  Goal goal_;
  std::vector<Trial> trials_;
  std::vector<std::size_t> running_;  // ascending
  std::vector<Interval> intervals_;   // those that are judged
};

}  // namespace muster::sweep
