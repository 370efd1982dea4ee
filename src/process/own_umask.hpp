// The umask: what muster makes it can use whatever the user's says, and nobody else may change it;
// tasks get the user's.
#pragma once

#include <sys/types.h>

namespace muster::process {

// Called once, before anything is made: from then on this process's own umask leaves the owner's
// rights, and takes those of all others to write.
void settle_umask();

// As it was before; without settle_umask(), that of this process.
[[nodiscard]] mode_t users_umask();

}  // namespace muster::process
