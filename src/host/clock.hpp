// The only place that reads the clock; other rooms get the time as a value.
#pragma once

#include "base/time.hpp"

namespace muster::host {

[[nodiscard]] base::Instant now();

}  // namespace muster::host
