// The carrier of a node that this machine only pretends to be: an agent process beside the head.
#pragma once

#include "model/carrier.hpp"

namespace muster::model {

inline constexpr Carrier kFakeNode = {
    .word = "process", .opened = true, .same_machine = true, .is_share = true};

}  // namespace muster::model
