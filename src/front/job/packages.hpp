// packages_of: the conda file of a job, with all that it takes in.
#pragma once

#include <string>

#include "front/call.hpp"
#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "job/target.hpp"

namespace muster::front {

// job::conda_text(), of a file or of what stands in the job's own; "": the job asks for no
// packages, or the target's hosts have them. `folder`: where the job's paths begin.
[[nodiscard]] std::string packages_of(const Call& call, const job::JobFile& job,
                                      const job::Target& target, const std::string& folder,
                                      job::Complaints& complaints);

}  // namespace muster::front
