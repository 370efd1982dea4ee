// Where the processes of a job keep what they log with MLflow.
#pragma once

#include <string>

#include "model/job_spec.hpp"

namespace muster::front {

// In the folder mlruns of the record, unless the job says so itself. Whether any of it will lie
// there.
bool keep_metrics(const std::string& record, model::JobSpec& spec);

}  // namespace muster::front
