// The arguments of `muster run` in, a checked JobSpec out.
#pragma once

#include <string>

#include "base/error.hpp"
#include "front/front.hpp"

namespace muster::front {

// The current folder makes --workdir absolute and is its default. Options end at the first argument
// that is not an option: that is the program, and all that follows is passed to it. Reads the
// hostfile. Unknown options are Fault::usage with the nearest known one as hint.
[[nodiscard]] base::Result<Reading> read_run(const Call& call);

[[nodiscard]] std::string run_help(std::size_t width);

}  // namespace muster::front
