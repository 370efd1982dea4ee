// take_over: a step's outputs from an earlier run of its pipeline, in place of running it.
#pragma once

#include <optional>

#include "front/pipeline_request.hpp"

namespace muster::cli {

// Whether a step need not run, since it completed in the earlier run.
[[nodiscard]] bool can_take_over(const front::PipelineRequest& request,
                                 const front::StepRequest& step);

// The exit code of a step that need not run: its record is there, with copies of its outputs.
// Nothing if it has to.
[[nodiscard]] std::optional<int> take_over(const front::PipelineRequest& request,
                                           const front::StepRequest& step);

}  // namespace muster::cli
