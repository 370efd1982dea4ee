// StepProcess: the head of a step, in a process that this one has forked.
#pragma once

#include <functional>
#include <sys/types.h>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::pipeline {

struct StepProcess {
  pid_t pid = 0;
  process::UniqueFd out;  // what it prints; both do not block
  process::UniqueFd err;
};

// Calls `run` in a child, whose exit code is what it returns. The child reads nothing, has a
// process group of its own (Ctrl-C is for this process alone), no signal is blocked there, and it
// is told to end (SIGTERM) if this process dies. Call it while the process has one thread.
[[nodiscard]] base::Result<StepProcess> start_step(const std::function<int()>& run);

// 128 + the signal that ended it, or its code.
[[nodiscard]] int exit_code_of(int wait_status);

}  // namespace muster::pipeline
