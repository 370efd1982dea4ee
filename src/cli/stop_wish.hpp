// The way to stop a queued run whose batch system passes no signal on: a file in its record.
#pragma once

#include <string>

#include "base/error.hpp"

namespace muster::cli {

// For whoever stops the run whose record is there.
[[nodiscard]] base::Result<void> wish_stop(const std::string& folder);

// For its head, before that begins: such a wish comes to it as Ctrl-C does. What was wished of an
// earlier head counts no more.
[[nodiscard]] base::Result<void> hear_stop_wish(const std::string& folder);

}  // namespace muster::cli
