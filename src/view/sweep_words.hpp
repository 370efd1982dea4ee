// A sweep and its trials in sentences. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/trials.hpp"

namespace muster::view {

// "loss 0.25 with lr=0.1 layers=3", "ended early by bandit"; empty for a trial that has nothing to
// tell.
[[nodiscard]] std::string trial_note(const std::string& metric, const sweep::Trials& trials,
                                     std::size_t trial);

// Lines that say which trial was the best, or why there is none.
[[nodiscard]] std::string sweep_outcome(const std::string& metric, const sweep::Trials& trials,
                                        const std::vector<std::string>& names);

// "loguniform from -6 to -1"
[[nodiscard]] std::string parameter_words(const sweep::Parameter& parameter);

// What a sweep would do: its search space, how it chooses, and its first trials.
[[nodiscard]] std::string sweep_plan(const sweep::Settings& settings, const std::string& metric);

}  // namespace muster::view
