// take_over: a step's outputs from an earlier run of its pipeline, in place of running it.
#pragma once

#include <optional>
#include <string>

#include "front/pipeline_request.hpp"

namespace muster::cli {

// That of the step in the latest of the runs that this pipeline goes on from; empty: it ran in
// none, or is to run anew.
[[nodiscard]] std::string latest_record(const front::PipelineRequest& request,
                                        const front::StepRequest& step);

// The folder of the record of a step that completed in the earlier run. One of another user's only
// counts if all its outputs lie in it.
[[nodiscard]] std::optional<std::string> earlier_step(const front::PipelineRequest& request,
                                                      const front::StepRequest& step);

// Makes the record of a step that need not run, with copies of the outputs of another one, from
// another user's without links that lead out of them. Returns its exit code, or nothing: it has to
// run.
[[nodiscard]] std::optional<int> take_over(const front::PipelineRequest& request,
                                           const front::StepRequest& step, const std::string& from);

}  // namespace muster::cli
