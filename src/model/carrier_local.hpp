// The carrier of the machine where the head runs, under its own name.
#pragma once

#include "model/carrier.hpp"

namespace muster::model {

inline constexpr Carrier kLocal = {
    .word = "here", .in_head = true, .same_machine = true, .tells_identity = true};

}  // namespace muster::model
