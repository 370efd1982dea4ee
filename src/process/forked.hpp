// Forked: a process that goes on within this program, and what it prints.
#pragma once

#include <functional>
#include <sys/types.h>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {

struct Forked {
  pid_t pid = 0;
  UniqueFd out;  // both do not block
  UniqueFd err;
};

// Calls `run` in a child, whose exit code is what it returns. The child reads nothing, has a
// process group of its own (Ctrl-C is for this process alone), and is told to end (SIGTERM) if this
// process dies. Call it while the process has one thread. Signals that end a program and are
// blocked here stay blocked there.
[[nodiscard]] base::Result<Forked> fork_to_run(const std::function<int()>& run);

// 128 + the signal that ended it, or its code.
[[nodiscard]] int exit_code_of(int wait_status);

}  // namespace muster::process
