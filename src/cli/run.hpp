// `muster run`: a job from its words to its exit code.
#pragma once

#include "cli/cli.hpp"

namespace muster::cli {

[[nodiscard]] int run(const Invocation& invocation);

}  // namespace muster::cli
