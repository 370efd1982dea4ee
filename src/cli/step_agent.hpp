// step_agent: the agent of a host that one srun has started with those of others, for a head that
// waits for it.
#pragma once

#include "cli/cli.hpp"

namespace muster::cli {

// Connects to the head, of which stdin has a line (link/shared_step.hpp), and is an agent from then
// on. 243: the head cannot be reached; one line on stderr says why.
[[nodiscard]] int step_agent(const Invocation& invocation);

}  // namespace muster::cli
