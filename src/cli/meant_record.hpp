// The record that a person means, and what a run has put out.
#pragma once

#include <string>

#include "base/error.hpp"
#include "job/names.hpp"
#include "model/record.hpp"

namespace muster::cli {

// "kufa", "kufa/train": a step of it, or "kufa/tune/trial_0"; "lines/train": of an experiment.
[[nodiscard]] base::Result<std::string> folder_of_run(const std::string& records,
                                                      const std::string& word);

[[nodiscard]] base::Result<model::RunRecord> meant_record(const std::string& records,
                                                          const std::string& word);

// Why nothing is done to a run of another user.
[[nodiscard]] base::Error foreign_run(const std::string& run, const std::string& owner);

// Where it lies.
[[nodiscard]] base::Result<std::string> path_of_output(const std::string& records,
                                                       const job::RunOutput& output);

}  // namespace muster::cli
