// family: a task and the processes that descend from it, as behind a shell.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace muster::probe {

// The task first; at most 64 or so of them. `root` stands before /proc.
[[nodiscard]] std::vector<pid_t> family(const std::string& root, pid_t task);

}  // namespace muster::probe
