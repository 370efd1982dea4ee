// Warden: the parent of a guard. It ends what a guard that was killed leaves, also when the guard's
// owner was killed with it (`pkill -9 muster`), and it kills a guard or owner that stays stopped
// (SIGSTOP).
//
// Its name and its command line do not hold the word "muster". All its signals are blocked, it does
// nothing until the guard ends, and holds no descriptor but 0, 1, 2 and the end of a pipe that
// tells its deputy that it lives.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/time.hpp"
#include "process/pipe.hpp"

namespace muster::process {

// To a warden, by sigqueue with the lease in milliseconds: look after the guard, or after the guard
// and its owner. One of them that is stopped (SIGSTOP) for a whole lease is killed.
inline constexpr int kWatchGuard = SIGUSR1;
inline constexpr int kWatchBoth = SIGUSR2;
// Likewise, without a value: leave now. The guard falls to the owner, which waits for both: so they
// end side by side.
inline constexpr int kLeave = SIGHUP;

// How a warden ends, which is when its guard has ended.
inline constexpr int kGuardLeft = 0;     // of its own accord
inline constexpr int kGuardKilled = 1;   // and what it left was swept
inline constexpr int kGuardStopped = 2;  // likewise, by its warden

// How long a process has been seen stopped, at consecutive looks.
class StopWatch {
 public:
  // True when it was stopped at every look of a lease. Both of us may have been stopped meanwhile:
  // a look that comes late starts over.
  [[nodiscard]] bool look(bool stopped, base::Instant now, base::Duration lease);

 private:
  std::optional<base::Instant> since_;
  base::Instant last_{};
};

// What ps and pkill see; the guard, a fork of the warden, takes another.
void take_warden_name();
// Runs in a fork of the owner with all signals blocked, once the guard is its child.
// `alive` is the deputy's.
[[noreturn]] void be_warden(pid_t owner, pid_t guard, std::vector<std::string> epilogue,
                            Pipe alive);

}  // namespace muster::process
