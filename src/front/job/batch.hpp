// Jobs whose target is a batch system: what they ask of it, and hosts in place of those to come.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "front/batch_request.hpp"
#include "front/call.hpp"
#include "front/job/options.hpp"
#include "job/complaints.hpp"
#include "job/job_spec.hpp"

namespace muster::front {

// The target with hosts that stand for those to come: as many as it says, else `nodes`.
[[nodiscard]] job::Place hosts_to_come(job::Target target, std::uint32_t nodes);

// A job, or the jobs of a pipeline's steps, which share the hosts. `file`: as it was typed.
[[nodiscard]] std::shared_ptr<BatchRequest> batch_request(
    const Call& call, const JobDraft& draft, const std::string& file, const job::Place& place,
    const std::vector<const job::JobFile*>& jobs, job::Complaints& complaints);

// Whether what is handed over is one run: tasks of an array would be many, each with a record and
// an end of its own.
void check_one_run(const job::Target& target, job::Complaints& complaints);

// The same as a script that needs no record, for `muster export`.
[[nodiscard]] base::Result<std::string> batch_script(const Call& call, const JobDraft& draft,
                                                     const std::string& file,
                                                     const BatchRequest& request);

}  // namespace muster::front
