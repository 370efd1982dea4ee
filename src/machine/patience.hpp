// Patience: how long the other end of a link may be silent until it counts as lost, or as missing.
#pragma once

#include "base/time.hpp"

namespace muster::machine {

// A machine can be so busy that a process waits minutes for a processor (seen: three, with Linux
// 6.18 and ranks that call sched_yield all the time), while its kernel answers at once. A process
// that has been stopped looks the same from elsewhere, so it does not last for ever.
inline constexpr int kBusyLeases = 8;

// `answers`: the machine of the other end does, or its process on this machine is not stopped.
[[nodiscard]] constexpr base::Duration patience(base::Duration silence, bool answers) {
  return answers ? kBusyLeases * silence : silence;
}

}  // namespace muster::machine
