// Carries out a pipeline: its record, and a run for each of its steps.
#pragma once

#include <string>

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "front/pipeline_request.hpp"

namespace muster::cli {

// Returns the exit code: that of the first step that failed, or 0.
[[nodiscard]] int run_pipeline(front::PipelineRequest& request, const Invocation& invocation);

// Of one that is queued: writes the manifests of its steps' code to the folder of a record that is
// being made, so that they run what they would run now.
[[nodiscard]] base::Result<void> keep_code(const front::PipelineRequest& request,
                                           const std::string& folder);

// Prints what would run where, and what would not; starts nothing.
[[nodiscard]] int show_pipeline(const front::PipelineRequest& request);

}  // namespace muster::cli
