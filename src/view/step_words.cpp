// Puts steps into sentences and a table.
#include "view/step_words.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

#include "view/first_few.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

using model::RunRecord;
using model::StepRecord;
using model::StepState;

std::size_t count(const RunRecord& record, StepState state) {
  return static_cast<std::size_t>(std::ranges::count(record.steps, state, &StepRecord::state));
}

// "failed with exit code 3"
std::string step_end(const StepRecord& step) {
  std::string text(word(step.state));
  if (step.state == StepState::failed && step.exit_code.value_or(0) != 0) {
    text += fmt::format(" with exit code {}", *step.exit_code);
  }
  return text;
}

std::string named(const StepRecord& step) {
  std::string text = fmt::format("step {} {}", step.name, step_end(step));
  if (!step.cause.empty()) text += ": " + step.cause;
  return text;
}

// "a, b and 3 more"
std::string names_of(const RunRecord& record, StepState state) {
  std::vector<std::string_view> names;
  for (const StepRecord& step : record.steps) {
    if (step.state == state) names.push_back(step.name);
  }
  return first_few(names.size(), [&](std::size_t i) { return names[i]; });
}

}  // namespace

bool tells_of_tolerated(std::string_view line) {
  constexpr std::string_view kWords[] = {
      ", within mini_batch_error_threshold: ", ", within error_threshold: ",
      "paths of files instead of rows"};
  return std::ranges::any_of(kWords,
                             [&](std::string_view words) { return line.find(words) != line.npos; });
}

std::string span_words(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  const std::int64_t hours = whole / 3600;
  if (hours == 0) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60);
}

std::string step_sentence(const StepRecord& step, model::Utc now) {
  std::string text = fmt::format("{} {}", step.name, step_end(step));
  if (step.started && step.ended) text += " after " + span_words(seconds_of(step, now));
  if (!step.cause.empty()) text += ": " + one_line(step.cause);
  return text;
}

std::string steps_words(const RunRecord& record) {
  const std::size_t done = count(record, StepState::completed) + count(record, StepState::reused);
  std::string text = fmt::format("{} of {} steps completed", done, record.steps.size());
  for (const StepState state : {StepState::running, StepState::failed, StepState::stopped}) {
    if (const std::size_t many = count(record, state)) {
      text += fmt::format(", {} {}", many, word(state));
    }
  }
  return text;
}

std::string pipeline_cause(const RunRecord& record) {
  if (record.state == model::RunState::completed) return {};
  const StepRecord* culprit = culprit_of(record);
  return culprit == nullptr ? "" : one_line(named(*culprit));
}

std::string pipeline_report(const RunRecord& record) {
  if (record.ended_well()) return {};
  std::string text = fmt::format("muster: the pipeline {}", word(record.state));
  if (!record.cause.empty()) text += ": " + record.cause;
  text += fmt::format("\n  {}", steps_words(record));
  if (count(record, StepState::failed) > 1) text += ": " + names_of(record, StepState::failed);
  const std::string blocked = names_of(record, StepState::blocked);
  if (!blocked.empty()) text += "; not run: " + blocked;
  const bool is_step = record.run.find('/') != std::string::npos;
  const char* const how = is_step ? " runs all of them again\n" : " goes on from there\n";
  return text + "\n  muster rerun " + record.run + how;
}

std::string steps_table(const RunRecord& record, model::Utc now) {
  std::size_t width = 0;
  for (const StepRecord& step : record.steps) width = std::max(width, step.name.size());
  std::string text;
  for (const StepRecord& step : record.steps) {
    const std::string took = step.started ? span_words(seconds_of(step, now)) : "";
    std::string row =
        fmt::format("{:<11} {:<{}}  {:<23}  {:>8}", "step", step.name, width, step_end(step), took);
    if (!step.cause.empty()) row += "  " + one_line(step.cause);
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace muster::view
