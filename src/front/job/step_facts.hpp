// What the results of a deterministic step depend on, and what of the launching shell it gets.
#pragma once

#include <string>

#include "front/call.hpp"
#include "front/pipeline_request.hpp"
#include "front/request.hpp"
#include "job/graph.hpp"
#include "job/job_file.hpp"
#include "model/step.hpp"

namespace muster::front {

// Why no earlier results are taken for a step that is declared deterministic: something may reach
// it that cannot be compared. Empty: nothing of the kind.
[[nodiscard]] std::string never_reused_because(const job::GraphStep& step,
                                               const model::PlannedStep& plan,
                                               const RunRequest& request);

// `bound`: its job, where paths stand for what other steps make. The call names the record of the
// whole pipeline, which is another one each time and does not count.
[[nodiscard]] StepFacts facts_of_step(const Call& call, const job::JobFile& bound,
                                      const model::PlannedStep& plan, const RunRequest& request);

// Of the launching shell, a step that may be reused gets what its facts have: the variables that
// the job names, those that choose its programs, and what every login has.
void take_only_what_counts(const Call& call, model::JobSpec& spec);

}  // namespace muster::front
