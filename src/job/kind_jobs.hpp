// Kind jobs: Azure ML's oldest drafts, with a launcher, workers and servers that have specs.
#pragma once

#include <string>

#include "job/complaints.hpp"
#include "job/tables.hpp"

namespace muster::job {

[[nodiscard]] bool is_kind_job(const Node& root);
[[nodiscard]] JobTable kind_keys();

// Once its keys have been read: replicas are nodes, unless the job has roles.
void settle_kind_job(const Node& root, JobFile& job, Complaints& complaints);

// The first word of the command that such files write for a variable, without its $; or "".
[[nodiscard]] std::string bare_variable(const JobFile& job);

}  // namespace muster::job
