// sweep_bounds: what a parameter of a search space gives to a component's input, against what that
// input takes.
#pragma once

#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "sweep/space.hpp"

namespace muster::job {

// Complains about the first value that the input of this name would not take: a value of a choice,
// or the end of a range; laws without an end are not judged. `log_base` as of sweep::Sampling.
void check_bounds(const ParameterKeys& keys, const sweep::Parameter& parameter,
                  const JobFile& component, double log_base, Complaints& complaints);

}  // namespace muster::job
