// What the simplest of inits does.
#include "process/first_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "process/forked.hpp"

namespace muster::process {
namespace {

constexpr std::array kPassedOn = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

// True once the child itself has ended, with how.
bool reap_all(pid_t child, int& status) {
  bool ended = false;
  for (;;) {
    int one = 0;
    const pid_t pid = ::waitpid(-1, &one, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return ended;
    if (pid != child) continue;
    status = one;
    ended = true;
  }
}

[[noreturn]] void wait_as_first(pid_t child, const sigset_t& signals) {
  int status = 0;
  while (!reap_all(child, status)) {
    int number = 0;
    if (::sigwait(&signals, &number) == 0 && number != SIGCHLD) ::kill(child, number);
  }
  ::_exit(exit_code_of(status));
}

}  // namespace

void leave_first_process() {
  if (::getpid() != 1) return;
  sigset_t signals;
  sigset_t before;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGCHLD);
  for (const int number : kPassedOn) ::sigaddset(&signals, number);
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t child = ::fork();
  if (child > 0) wait_as_first(child, signals);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);  // also where no process could be made
}

}  // namespace muster::process
