// called: hosts that a head holds for a command. muster lead opens them, or waits for those that
// come by themselves, and runs the command with them; muster join makes this machine one of them.
#pragma once

#include "cli/cli.hpp"
#include "front/called_request.hpp"

namespace muster::cli {

// Blocks until all is over; returns the exit code.
[[nodiscard]] int called(const front::CalledRequest& request, const Invocation& invocation);

}  // namespace muster::cli
