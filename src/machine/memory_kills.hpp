// Compares two readings of the counters of the out-of-memory killer.
#pragma once

#include <optional>

#include "model/circumstances.hpp"

namespace muster::machine {

// Nothing when the kernel does not count. `limit` is left to whoever can read it.
[[nodiscard]] std::optional<model::MemoryKills> memory_kills(const model::MemoryCounters& before,
                                                             const model::MemoryCounters& after);

}  // namespace muster::machine
