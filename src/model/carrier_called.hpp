// The carrier of a host whose agent was started by somebody else (a pod, srun), and came to the
// head.
#pragma once

#include "model/carrier.hpp"

namespace muster::model {

inline constexpr Carrier kCalled = {.word = "called", .tells_identity = true};

}  // namespace muster::model
