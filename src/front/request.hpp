// RunRequest: what a front end asks for: the job, and what is to be done with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/job_spec.hpp"
#include "model/meeting.hpp"

namespace muster::front {

// What is shown of the plan in Open MPI's words, beside running it.
struct Shown {
  bool map = false;         // --display-map, on stdout
  bool allocation = false;  // --display-allocation, on stdout
  bool bindings = false;    // --report-bindings, on stderr
};

// What a command that starts ranks itself, with mpirun or the like, finds on this machine.
struct Launchers {
  std::string hostfile;     // text of the file that AZUREML_MPI_HOSTFILE names
  bool fake_nodes = false;  // its hosts are this machine
};

struct RunRequest {
  model::JobSpec spec;
  std::optional<Launchers> launchers;
  std::vector<std::string> folders;  // made before the job starts
  Shown shown;
  std::optional<model::Meeting> meeting = {};  // other nodes are started each by itself
  bool do_not_launch = false;                  // show what is to be shown, then end with 0
  int refusal_code = 0;  // exit code when nothing may start; 0: base::exit_code()
  bool quiet = false;    // notices are not told
  bool dry_run = false;
  bool json = false;
  bool show_environment = false;  // --env with --dry-run
};

}  // namespace muster::front
