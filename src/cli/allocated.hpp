// allocated: a run whose hosts a batch system is asked for first, and gets back at the end.
#pragma once

#include <functional>

#include "cli/cli.hpp"
#include "front/request.hpp"

namespace muster::cli {

// What the system would be asked; starts nothing.
[[nodiscard]] int show_allocation(const front::RunRequest& request);

// Waits for the hosts, puts them into the request, and calls `run` as if it was called in their
// job. Returns its exit code; 128 + N when signal N came before there were any.
[[nodiscard]] int run_allocated(front::RunRequest& request, const Invocation& invocation,
                                const std::function<int(const Invocation&)>& run);

}  // namespace muster::cli
