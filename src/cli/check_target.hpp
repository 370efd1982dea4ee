// check_target: what a job's target says of it beforehand.
#pragma once

#include "cli/cli.hpp"
#include "front/front.hpp"

namespace muster::cli {

// Of a reading with `cluster`. Prints what was asked; returns the exit code.
[[nodiscard]] int check_target(const front::Reading& reading, const Invocation& invocation);

}  // namespace muster::cli
