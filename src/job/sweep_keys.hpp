// The keys of Azure ML's sweeps (CLI v2).
#pragma once

#include "job/tables.hpp"

namespace muster::job {

[[nodiscard]] JobTable sweep_keys();

// Of one parameter of a search space, without its name.
[[nodiscard]] JobTable parameter_keys();
void add_parameter(JobFile& job, const Found& found);

}  // namespace muster::job
