// make_spec: a job file and a target in, the JobSpec that carries it out. Pure.
#pragma once

#include <string>
#include <vector>

#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "job/layout.hpp"
#include "job/target.hpp"
#include "job/values.hpp"
#include "model/job_spec.hpp"
#include "spec/sources.hpp"

namespace muster::job {

// Where a job is to run: a target, with its host list read.
struct Place {
  Target target;
  spec::HostsFound found;                         // its host list
  std::vector<InstanceType> instance_types = {};  // that muster.yml describes
  std::string image = {};                         // in place of all that are named; or empty
};

struct Made {
  model::JobSpec spec;
  Layout layout;
  std::vector<std::string> folders;  // of outputs, to be there before the job starts
  std::vector<std::string> notices;
};

// Complaints: what the target cannot give (software, GPUs, nodes).
[[nodiscard]] Made make_spec(const JobFile& job, const Values& values, const Place& place,
                             const std::string& folder, Complaints& complaints);

}  // namespace muster::job
