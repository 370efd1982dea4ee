// What the kernel shows of a task: its state, and where its threads wait.
#pragma once

#include <string>
#include <sys/types.h>

namespace muster::probe {

// "sleeping in do_wait", "running, 12 threads"; "gone" when there is no such process. `root` stands
// before /proc.
[[nodiscard]] std::string task_state(const std::string& root, pid_t pid);

// It is there, and neither stopped nor ended: it runs, waits for something or for a processor.
[[nodiscard]] bool is_going(const std::string& root, pid_t pid);

// A line for each thread, 64 at most: "thread 42 (python3): sleeping in futex_wait_queue", and what
// the kernel shows of its own stack, which as a rule only root may see.
[[nodiscard]] std::string thread_states(const std::string& root, pid_t pid);

}  // namespace muster::probe
