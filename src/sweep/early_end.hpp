// Early ends: which trials a policy ends before they are done, as Azure ML documents it.
//
// A trial's reports of the primary metric are counted: the Nth is its interval N. A policy judges
// at each multiple of `interval` that is not below `delay`, and compares what trials had reported
// when they were as old.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sweep/settings.hpp"

namespace muster::sweep {

// What a trial has reported, and whether more is to come.
struct Progress {
  std::vector<double> reported;
  bool runs = true;
  bool completed = false;  // neither of the two: it failed, or was ended
  bool operator==(const Progress&) const = default;
};

// Whether a is better than b. Nothing is worse than what is not a number.
[[nodiscard]] bool is_better(Goal goal, double a, double b);

// The trials to end after `reporter` has reported once more, ascending. `trials` has all that have
// begun.
[[nodiscard]] std::vector<std::size_t> ended_early(const Policy& policy, Goal goal,
                                                   std::span<const Progress> trials,
                                                   std::size_t reporter);

}  // namespace muster::sweep
