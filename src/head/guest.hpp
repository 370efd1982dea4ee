// Guest: a node whose launcher was started separately. Node 0 controls its tasks; their output goes
// to its own console.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/job_spec.hpp"
#include "process/unique_fd.hpp"

namespace muster::head {

struct GuestOptions {
  process::UniqueFd connection;  // to node 0, which has said "begin"
  model::JobSpec spec;           // as typed here: how output is shown
  std::vector<std::string> environment;
  std::string version;
};

struct GuestEnd {
  std::string report;  // of node 0, for people
  int code = 0;
};

// Blocks until node 0 says how the job ended. Call it while the process has one thread.
[[nodiscard]] base::Result<GuestEnd> run_guest(GuestOptions options);

}  // namespace muster::head
