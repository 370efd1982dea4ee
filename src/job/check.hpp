// check: errors of a job file as a whole, which no single key shows.
#pragma once

#include <string_view>

#include "job/complaints.hpp"
#include "job/job_file.hpp"

namespace muster::job {

// Contradictions between keys; types, bounds and defaults of inputs; expressions that name nothing
// that exists.
void check(const JobFile& job, std::string_view source, Complaints& complaints);

}  // namespace muster::job
