// Reads the kernel's steady clock.
#include "host/clock.hpp"

namespace muster::host {

base::Instant now() { return base::Instant(std::chrono::steady_clock::now().time_since_epoch()); }

}  // namespace muster::host
