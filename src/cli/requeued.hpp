// Runs whose head has told an end, and which their batch system may start once more.
#pragma once

#include "model/record.hpp"

namespace muster::cli {

// Of a record that has ended: its job may be in the queue again, or get there, as far as is known
// without asking. Never for a run that completed, nor for a job that may run only once.
[[nodiscard]] bool may_run_again(const model::RunRecord& record);

// The batch system has said that the job is over: it need not be asked again.
void note_job_over(const model::RunRecord& record);

// What is known of the run before its next head begins.
[[nodiscard]] model::RunRecord between_attempts(model::RunRecord record);

}  // namespace muster::cli
