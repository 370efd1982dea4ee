// plan_digest: tells whether head and agent make the same environments of the same plan.
#pragma once

#include <cstdint>

namespace muster::wire {

// Of the sources of `plan`, of what it plans with, and of how agents use it; made by the build
// (src/plan_digest.cmake).
[[nodiscard]] std::uint64_t plan_digest();

}  // namespace muster::wire
