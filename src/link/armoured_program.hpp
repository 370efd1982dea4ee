// run_armoured: a process between a carrier that passes on lines of text only, and a program on one
// side of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace muster::link {

enum class Side : std::uint8_t {
  agent,  // the program speaks bytes, and we lines: it is an agent
  head,   // the program speaks lines, and we bytes: it is the carrier
};

// Runs the program with its stdin, stdout and stderr as ours, armoured or not; passes signals that
// end a process on to it. Blocks until it has ended; its exit code, or 128 + N.
[[nodiscard]] base::Result<int> run_armoured(const std::vector<std::string>& words,
                                             const std::vector<std::string>& environment,
                                             Side side);

}  // namespace muster::link
