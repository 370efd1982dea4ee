// Steps of a pipeline, and how one ended, for people. Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/record.hpp"

namespace muster::view {

// "0.4 s", "12 s", "3:05", "2:00:09"
[[nodiscard]] std::string span_words(double seconds);

// "train failed with exit code 3 after 12 s: rank 1 on node1 exited with code 3"
[[nodiscard]] std::string step_sentence(const model::StepRecord& step, model::Utc now);

// Whether a line of a step that completed tells of failures that the step's thresholds allow, or of
// rows that its batches should have been (src/job/mini_batches.py).
[[nodiscard]] bool tells_of_tolerated(std::string_view line);

// "3 of 5 steps completed, 1 running"
[[nodiscard]] std::string steps_words(const model::RunRecord& record);

// Why a pipeline did not complete, on one line; empty if it did.
[[nodiscard]] std::string pipeline_cause(const model::RunRecord& record);

// The report of one that has ended: each line begins with "muster: " or is indented. Empty for one
// that completed.
[[nodiscard]] std::string pipeline_report(const model::RunRecord& record);

// A line for each step: its state, time and cause.
[[nodiscard]] std::string steps_table(const model::RunRecord& record, model::Utc now);

}  // namespace muster::view
