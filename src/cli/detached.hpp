// A run that goes on without its terminal: what the process that was typed and the one that goes on
// tell each other.
#pragma once

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "front/request.hpp"
#include "model/record.hpp"

namespace muster::cli {

// Launches the request in a process of its own, and returns once all ranks run: 0, with the run's
// name on stdout. Complaints come as ever; when the run ended before that, its exit code and
// report.
[[nodiscard]] int launch_detached(const front::RunRequest& request, const Invocation& invocation);

// The other process: its record is there, and takes what it prints from now on.
[[nodiscard]] base::Result<void> go_on_unseen(int pipe, const model::RunRecord& record);
void tell_running(int pipe);

}  // namespace muster::cli
