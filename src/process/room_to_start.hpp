// Whether the limits of the shell leave a process the memory to begin with. The kernel answers a
// stack that cannot grow with a signal, which nobody can explain later.
#pragma once

#include <optional>

#include "base/error.hpp"

namespace muster::process {

// Why this process had better not go on. Called once, first of all.
[[nodiscard]] std::optional<base::Error> missing_room();

}  // namespace muster::process
