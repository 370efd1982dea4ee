// The one clock: what time it is, for those who may not ask themselves.
#pragma once

#include "base/time.hpp"

namespace muster::host {

[[nodiscard]] base::Instant now();

}  // namespace muster::host
