// Finds out what the environments of jobs are: files beside them, and names that are known here.
#pragma once

#include <string>

#include "front/job/known_names.hpp"
#include "front/job/options.hpp"
#include "job/complaints.hpp"
#include "job/job_file.hpp"

namespace muster::front {

// `folder`: where the job's paths begin. In the hosts of a job around, which have the software, no
// such file is looked for.
void take_environment_files(const Call& call, const JobDraft& draft, const std::string& folder,
                            KnownNames& names, job::JobFile& job, job::Complaints& complaints);

}  // namespace muster::front
