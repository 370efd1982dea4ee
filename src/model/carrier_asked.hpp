// The carrier of a host that a launcher inside a rank asks the head above it for.
#pragma once

#include "model/carrier.hpp"

namespace muster::model {

inline constexpr Carrier kAsked = {.word = "asked", .opened = true, .tells_identity = true};

}  // namespace muster::model
