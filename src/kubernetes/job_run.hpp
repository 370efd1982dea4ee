// run_of: a job file and its target in, the run whose objects are made in the cluster out. Pure.
#pragma once

#include <span>
#include <string>

#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "job/layout.hpp"
#include "job/target.hpp"
#include "kubernetes/run.hpp"

namespace muster::kubernetes {

struct JobParts {
  const job::JobFile& job;
  const job::Layout& layout;  // job::layout_of(job, types)
  const job::Target& target;  // with `kubernetes`
  std::span<const job::InstanceType> types;
};

// Images, resources, counts and limits; the launcher's command is left empty. A worker pod for each
// node; where roles have nodes of their own, pods with their image and resources. Complaints: no
// image, more nodes than the target gives.
[[nodiscard]] Run run_of(const std::string& name, const JobParts& parts,
                         job::Complaints& complaints);

// The image of the job, or of one of its roles; "" when there is none.
[[nodiscard]] std::string image_of(const job::JobFile& job, const job::Cluster& cluster,
                                   const job::Role* role = nullptr);

}  // namespace muster::kubernetes
