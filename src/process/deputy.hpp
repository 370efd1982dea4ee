// Deputy: a warden's child, in a session of its own. Should owner, guard and warden be killed at
// the same instant, the kernel ends the tasks, and the deputy what these have started and what has
// not left the guard's session. It does nothing else, and the warden ends it when it leaves.
// Its name and its command line, the warden's, do not hold the word "muster".
#pragma once

#include <sys/types.h>

#include "process/pipe.hpp"

namespace muster::process {

// The deputy's pid, or 0 where there can be no further process. `alive` is a pipe whose writing end
// only the caller and the guard hold, so that it ends with them; the caller's session is the
// guard's. To be called with all signals blocked.
[[nodiscard]] pid_t fork_deputy(pid_t owner, const Pipe& alive);

// Ends a deputy of this process; 0: there is none.
void dismiss_deputy(pid_t deputy);

}  // namespace muster::process
