// meet: a job whose nodes are started each by itself, from their meeting to the exit code.
#pragma once

#include "cli/cli.hpp"
#include "front/request.hpp"

namespace muster::cli {

// Every node comes here: node 0 leads the job, the others take part in it. Returns the exit code;
// complaints and the report have been printed. `request.meeting` is there.
[[nodiscard]] int meet(const front::RunRequest& request, const Invocation& invocation);

}  // namespace muster::cli
