// Detached runs: messages between the foreground process and the one that continues in the
// background.
#pragma once

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "front/request.hpp"
#include "model/record.hpp"

namespace muster::cli {

// Launches the request in a process of its own, and returns 0 once all ranks run, with the run's
// name on stdout. Errors are printed as usual; if the run ended before that, returns its exit code
// and prints its report.
[[nodiscard]] int launch_detached(const front::RunRequest& request, const Invocation& invocation);

// In the background process: its record exists, and holds what it prints from now on.
[[nodiscard]] base::Result<void> go_on_unseen(int pipe, const model::RunRecord& record);
void tell_running(int pipe);

}  // namespace muster::cli
