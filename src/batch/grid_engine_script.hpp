// The script for qsub. Pure.
#pragma once

#include <string>

#include "batch/wish.hpp"

namespace muster::batch {

// qdel kills. -notify would send SIGUSR2 a while before, but to ranks as well, whom it kills (tried
// with 8.1.9): muster stop does not go that way.
[[nodiscard]] std::string grid_engine_script(const Wish& wish);

}  // namespace muster::batch
