// SweepFile: what a sweep says beside the job of its trials. Plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/text.hpp"
#include "sweep/settings.hpp"

namespace muster::job {

// A parameter of the search space as it stands in the file.
struct ParameterKeys {
  std::string name;
  Mark mark;
  std::optional<Text> type;
  std::optional<Text> least;  // min_value
  std::optional<Text> most;   // max_value
  std::optional<Text> mu;
  std::optional<Text> sigma;
  std::optional<Text> quantum;
  std::optional<Text> upper;
  std::optional<Node> values;
  std::vector<std::string> written;  // its keys, those with a wrong value, too
};

struct SweepKeys {
  std::vector<ParameterKeys> space;
  Mark mark;                   // of the first of them
  std::optional<Text> method;  // of sampling
  std::optional<Text> seed;
  std::optional<Text> rule;
  std::optional<Text> log_base;
  std::optional<Text> goal;
  std::optional<Text> metric;
  std::optional<Count> trials;
  std::optional<Count> at_once;
  std::optional<Text> timeout;
  std::optional<Text> trial_timeout;
  std::optional<Text> policy;
  std::optional<Count> interval;
  std::optional<Count> delay;
  std::optional<Text> slack_factor;
  std::optional<Text> slack_amount;
  std::optional<Count> percentage;
  bool without_completed = false;
  std::vector<std::string> of_policy;  // its keys, those with a wrong value, too
  std::optional<Text> metrics_from;
};

// What they come to.
struct SweepFile {
  sweep::Settings settings;
  std::string metric;        // that trials are judged by
  bool from_output = false;  // it is printed as a line NAME=VALUE; else MLflow's files have it
};

// An input that has another value in each trial: ${{search_space.NAME}}.
inline constexpr std::string_view kSearchSpace = "search_space.";

}  // namespace muster::job
