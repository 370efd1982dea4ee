// called: hosts that come to the head by themselves: muster lead waits for them and runs a command
// with them, muster join makes this machine one of them.
#pragma once

#include "cli/cli.hpp"
#include "front/called_request.hpp"

namespace muster::cli {

// Blocks until all is over; returns the exit code.
[[nodiscard]] int called(const front::CalledRequest& request, const Invocation& invocation);

}  // namespace muster::cli
