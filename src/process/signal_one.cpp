// Signals through a pidfd.
#include "process/signal_one.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "process/unique_fd.hpp"

namespace muster::process {

bool signal_one(pid_t pid, int number, const std::function<bool()>& is_still) {
  const UniqueFd held(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!held || !is_still()) return false;
  return ::syscall(SYS_pidfd_send_signal, held.get(), number, nullptr, 0) == 0;
}

}  // namespace muster::process
