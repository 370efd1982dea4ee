// The carrier of a node that was started separately: its muster connected to the head.
#pragma once

#include "model/carrier.hpp"

namespace muster::model {

inline constexpr Carrier kJoined = {.word = "joined", .own_console = true};

}  // namespace muster::model
