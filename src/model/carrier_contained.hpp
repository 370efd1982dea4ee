// The carrier of this machine where its ranks run in a container: an agent beside the head starts
// it.
#pragma once

#include "model/carrier.hpp"

namespace muster::model {

inline constexpr Carrier kContained = {
    .word = "container", .opened = true, .same_machine = true, .tells_identity = true};

}  // namespace muster::model
