// Settings: how a sweep draws its trials, how many there may be, and which are ended early.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "sweep/space.hpp"

namespace muster::sweep {

enum class Method : std::uint8_t { random, sobol, grid, bayesian };

struct Sampling {
  Method method = Method::random;
  std::uint64_t seed = 0;
  // The natural logarithm of the base in which laws with "log" draw their exponent.
  double log_base = 1;
  bool operator==(const Sampling&) const = default;
};

enum class Goal : std::uint8_t { minimize, maximize };

struct Limits {
  std::uint64_t trials = 1000;          // as in Azure ML
  std::uint32_t at_once = 0;            // 0: as many as the hosts have room for
  std::optional<base::Duration> whole;  // of the sweep, from its beginning
  std::optional<base::Duration> one;    // of a trial, from its start
  bool operator==(const Limits&) const = default;
};

enum class EarlyEnd : std::uint8_t { none, bandit, median_stopping, truncation_selection };

struct Policy {
  EarlyEnd kind = EarlyEnd::none;
  std::uint32_t interval = 1;               // in reports of a trial
  std::uint32_t delay = 0;                  // the first report that is judged, at the earliest
  std::optional<double> slack_factor = {};  // of a bandit: one of these two
  std::optional<double> slack_amount = {};
  std::uint32_t percentage = 0;    // of truncation
  bool without_completed = false;  // truncation: completed trials do not count
  bool operator==(const Policy&) const = default;
};

struct Settings {
  Space space;
  Sampling sampling = {};
  Goal goal = Goal::minimize;
  Limits limits = {};
  Policy policy = {};
  bool operator==(const Settings&) const = default;
};

}  // namespace muster::sweep
