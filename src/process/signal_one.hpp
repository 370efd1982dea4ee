// signal_one: a signal to one process, and to no other that may have got its number since.
#pragma once

#include <functional>
#include <sys/types.h>

namespace muster::process {

// `is_still` is asked once the process is held fast: whether it is the one that is meant.
[[nodiscard]] bool signal_one(pid_t pid, int number, const std::function<bool()>& is_still);

}  // namespace muster::process
