// Reads the kernel's steady clock.
#include "app/clock.hpp"

namespace muster::app {

base::Instant now() { return base::Instant(std::chrono::steady_clock::now().time_since_epoch()); }

}  // namespace muster::app
