// The carrier of a host whose agent a command starts (ssh, kubectl exec), and talks to over stdio.
#pragma once

#include "model/carrier.hpp"

namespace muster::model {

inline constexpr Carrier kOpened = {.word = "ssh", .opened = true, .tells_identity = true};

}  // namespace muster::model
