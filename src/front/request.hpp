// RunRequest: what a front end asks for: the job, and what is to be done with it.
#pragma once

#include "model/job_spec.hpp"

namespace muster::front {

struct RunRequest {
  model::JobSpec spec;
  bool dry_run = false;
  bool json = false;
  bool show_environment = false;  // --env with --dry-run
};

}  // namespace muster::front
