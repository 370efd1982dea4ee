// Forks. The kernel ends the child, which hears no other signal.
#include "process/lookout.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "process/shortage.hpp"

namespace muster::process {
namespace {

[[noreturn]] void keep_looking(const std::function<bool()>& sees, base::Duration pause,
                               pid_t parent) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  const bool goes_along = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
  if (!goes_along || ::getppid() != parent) ::_exit(EXIT_FAILURE);  // it may have died before
  while (!sees()) ::poll(nullptr, 0, static_cast<int>(pause.count()));
  ::kill(parent, SIGINT);
  ::kill(parent, SIGCONT);
  ::_exit(EXIT_SUCCESS);
}

}  // namespace

base::Result<void> interrupt_when(const std::function<bool()>& sees, base::Duration pause) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return tl::unexpected(system_error("cannot start a process", errno));
  if (child == 0) keep_looking(sees, pause, parent);
  return {};
}

}  // namespace muster::process
