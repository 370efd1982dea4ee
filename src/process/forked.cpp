// Forks, and prepares the child for a life of its own.
#include "process/forked.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/pipe.hpp"
#include "process/shortage.hpp"

namespace muster::process {
namespace {

struct ForkedPipes {
  Pipe out;
  Pipe err;
};

base::Result<ForkedPipes> forked_pipes() {
  auto out = make_pipe();
  if (!out) return tl::unexpected(out.error());
  auto err = make_pipe();
  if (!err) return tl::unexpected(err.error());
  return ForkedPipes{std::move(*out), std::move(*err)};
}

// False when the parent has died before it could be noticed.
bool is_bound_to(pid_t parent) {
  return ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && ::getppid() == parent;
}

bool redirect(const ForkedPipes& pipes) {
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return nothing && ::dup2(nothing.get(), STDIN_FILENO) >= 0 &&
         ::dup2(pipes.out.write.get(), STDOUT_FILENO) >= 0 &&
         ::dup2(pipes.err.write.get(), STDERR_FILENO) >= 0;
}

// Those that end a program wait until the head listens to them: none is lost, and none ends the
// child before it can end what it has started.
void prepare_signals() {
  sigset_t others;
  ::sigfillset(&others);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGUSR1, SIGUSR2}) {
    ::sigdelset(&others, number);
  }
  ::sigprocmask(SIG_UNBLOCK, &others, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) std::signal(number, SIG_DFL);
}

[[noreturn]] void live(const std::function<int()>& run, ForkedPipes pipes, pid_t parent) {
  ::setpgid(0, 0);
  if (!is_bound_to(parent) || !redirect(pipes)) ::_exit(EXIT_FAILURE);
  pipes = {};
  prepare_signals();
  const int code = run();
  std::fflush(nullptr);
  ::_exit(code);  // what belongs to the parent is not undone here
}

}  // namespace

base::Result<Forked> fork_to_run(const std::function<int()>& run) {
  auto pipes = forked_pipes();
  if (!pipes) return tl::unexpected(pipes.error());
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return tl::unexpected(system_error("cannot start a process", errno));
  if (child == 0) live(run, std::move(*pipes), parent);
  ::setpgid(child, child);  // whoever is first
  for (const UniqueFd* end : {&pipes->out.read, &pipes->err.read}) {
    ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  }
  return Forked{child, std::move(pipes->out.read), std::move(pipes->err.read)};
}

int exit_code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace muster::process
