// Carries out a pipeline: its record, and a run for each of its steps.
#pragma once

#include "cli/cli.hpp"
#include "front/pipeline_request.hpp"

namespace muster::cli {

// Returns the exit code: that of the first step that failed, or 0.
[[nodiscard]] int run_pipeline(front::PipelineRequest& request, const Invocation& invocation);

// Prints what would run where, and what would not; starts nothing.
[[nodiscard]] int show_pipeline(const front::PipelineRequest& request);

}  // namespace muster::cli
