// The tables of keys of pipelines and of their steps.
#pragma once

#include "job/tables.hpp"

namespace muster::job {

// A pipeline job, a pipeline component, and a step that is a pipeline of its own.
[[nodiscard]] JobTable pipeline_keys();

// What a step says beside its `component`: of one that runs a command, of a pipeline.
[[nodiscard]] JobTable step_keys();
[[nodiscard]] JobTable pipeline_step_keys();

// A job or component that calls a function with batches of data, and a step that names one.
[[nodiscard]] JobTable parallel_keys();
[[nodiscard]] JobTable parallel_step_keys();

}  // namespace muster::job
