// Between vfork and exec the child borrows the caller's memory, so that nothing of it is copied.
#include "process/spawn.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/memory_policy.hpp"

namespace muster::process {
namespace {

// The C library's type is too small for large machines; both are bits, low first.
const cpu_set_t* as_set(const std::uint64_t* words) {
  return reinterpret_cast<const cpu_set_t*>(words);
}

bool give_descriptors(const SpawnRequest& request) {
  int target = -1;
  for (const int fd : request.descriptors) {
    ++target;
    if (fd < 0) continue;
    // dup2 onto itself would leave it to be closed by exec.
    if ((fd == target ? ::fcntl(fd, F_SETFD, 0) : ::dup2(fd, target)) < 0) return false;
  }
  return true;
}

bool move_in(const SpawnRequest& request) {
  if (*request.workdir != '\0' && ::chdir(request.workdir) != 0) return false;
  const std::span<const std::uint64_t>& cpus = request.cpus;
  if (!cpus.empty() && ::sched_setaffinity(0, cpus.size_bytes(), as_set(cpus.data())) != 0) {
    return false;
  }
  return set_memory_policy(request.memory_mode, request.memory_nodes);
}

// A caller that ended before prctl sends nothing any more, so it is looked for once more.
bool follow_caller(const SpawnRequest& request, pid_t caller) {
  if (request.when_caller_ends == 0) return true;
  if (::prctl(PR_SET_PDEATHSIG, request.when_caller_ends) != 0) return false;
  if (::getppid() != caller) ::_exit(EXIT_FAILURE);
  return true;
}

// Default first, then unblocked: no handler of the caller may run here.
void clear_signals(const std::vector<int>& changed) {
  for (const int number : changed) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// In the child: nothing here may allocate, lock, or return to the caller, who sees `error`.
[[noreturn]] void become(const SpawnRequest& request, const std::vector<int>& changed, pid_t caller,
                         volatile int& error) {
  if (::setpgid(0, 0) == 0 && give_descriptors(request) && move_in(request) &&
      follow_caller(request, caller)) {
    clear_signals(changed);
    if (request.umask) ::umask(*request.umask);
    ::execve(request.program, request.arguments, request.environment);
  }
  error = errno;
  ::_exit(EXIT_FAILURE);
}

}  // namespace

Spawner::Spawner() {
  for (int number = 1; number <= SIGRTMAX; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0) continue;
    if (action.sa_handler != SIG_DFL) changed_.push_back(number);
  }
}

SpawnResult Spawner::spawn(const SpawnRequest& request) const {
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  volatile int error = 0;
  const pid_t caller = request.when_caller_ends != 0 ? ::getpid() : 0;
  // A fork would copy the caller's page tables; become() does only what a child of vfork may.
  const pid_t pid = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (pid == 0) become(request, changed_, caller, error);  // NOLINT(clang-analyzer-unix.Vfork)
  if (pid < 0) error = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) return {pid, 0};
  if (pid > 0) ::waitpid(pid, nullptr, 0);
  return {0, error};
}

}  // namespace muster::process
