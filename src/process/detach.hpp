// detach: continues in a process that outlives the terminal and the shell it was started from.
#pragma once

#include <sys/types.h>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {

struct Detached {
  pid_t child = 0;  // 0: this is the child
  UniqueFd pipe;    // the child writes into it, the parent reads
};

// The child has a session of its own, reads nothing, and ignores SIGHUP; what it prints still comes
// where it came before. Call it while the process has one thread.
[[nodiscard]] base::Result<Detached> detach();

// Where the process prints from now on. False when it cannot be written.
[[nodiscard]] bool print_to(const char* path);

// The exit code of a child that has ended or will.
[[nodiscard]] int await_code(pid_t child);

}  // namespace muster::process
