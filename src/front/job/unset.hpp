// tell_unset: notices of Azure ML's variables that a job's command reads and nothing sets.
#pragma once

#include <string>
#include <vector>

#include "front/call.hpp"
#include "job/job_file.hpp"
#include "job/target.hpp"
#include "model/job_spec.hpp"

namespace muster::front {

// `sources` are the files of the job's marks. The spec is that of the job, with all that its
// processes are given. What a batch system's `setup` lines set is known only in its job.
void tell_unset(const Call& call, const job::JobFile& job, const model::JobSpec& spec,
                const job::Target& target, const std::vector<std::string>& sources,
                std::vector<std::string>& notices);

}  // namespace muster::front
