// launch: a spec becomes a plan, and the plan a dry run or a run: the one way of every front end.
#pragma once

#include "cli/cli.hpp"
#include "front/request.hpp"

namespace muster::cli {

// Returns the exit code; errors and the report have been printed.
[[nodiscard]] int launch(const front::RunRequest& request, const Invocation& invocation);

}  // namespace muster::cli
