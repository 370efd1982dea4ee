// launch: a spec becomes a plan, and the plan a dry run or a run: the one way of every front end.
#pragma once

#include "cli/cli.hpp"
#include "model/job_spec.hpp"

namespace muster::cli {

struct RunRequest {
  model::JobSpec spec;
  bool dry_run = false;
  bool json = false;
  bool show_environment = false;  // --env with --dry-run
};

// Returns the exit code; complaints and the report have been printed.
[[nodiscard]] int launch(const RunRequest& request, const Invocation& invocation);

}  // namespace muster::cli
