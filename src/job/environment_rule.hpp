// Which variables the processes of a job are not given.
#pragma once

#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "model/environment_rule.hpp"

namespace muster::job {

void check_environment_rule(const JobFile& job, Complaints& complaints);

// Of a job in which nothing of it is wrong.
[[nodiscard]] model::EnvironmentRule environment_rule(const JobFile& job);

}  // namespace muster::job
