// Waits for three ends, the guard's by a pipe, and kills a session.
#include "process/deputy.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/descendants.hpp"

namespace muster::process {
namespace {

constexpr const char* deputy_name = "job-deputy";
constexpr std::chrono::seconds deputy_sweep_limit{5};
constexpr base::Duration deputy_pause{1};

// Until this parent has ended and we are another one's child. The kernel tells of it by SIGHUP,
// which is blocked like all others.
void outlive(pid_t parent) {
  sigset_t told;
  ::sigemptyset(&told);
  ::sigaddset(&told, SIGHUP);
  while (::getppid() == parent) ::sigwaitinfo(&told, nullptr);
}

// Until the guard has ended, too.
void outlive(const UniqueFd& alive) {
  pollfd source{alive.get(), POLLIN, 0};
  while (::poll(&source, 1, -1) <= 0) continue;
}

// The session's number is the warden's pid, which no other process gets while a member is left;
// a process that has it now is a stranger with a session of its own, and no member is.
bool kill_members(pid_t session) {
  const auto namesake = read_process(session);
  if (namesake && namesake->state != 'Z') return false;
  bool is_left = false;
  visit_session(session, [&](const ProcessStat& process) {
    if (process.state == 'Z') return;
    is_left = true;
    signal_process(process, SIGKILL);
  });
  return is_left;
}

void end_session(pid_t session) {
  const auto deadline = std::chrono::steady_clock::now() + deputy_sweep_limit;
  while (kill_members(session) && std::chrono::steady_clock::now() < deadline) {
    ::poll(nullptr, 0, static_cast<int>(deputy_pause.count()));
  }
}

[[noreturn]] void be_deputy(pid_t owner, pid_t warden, const Pipe& alive) {
  const pid_t session = ::getsid(0);
  ::close(alive.write.get());
  ::setsid();
  ::prctl(PR_SET_NAME, deputy_name);
  ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  outlive(warden);
  outlive(alive.read);
  outlive(owner);  // one that lives ends what is left, and us with it
  end_session(session);
  ::_exit(EXIT_SUCCESS);
}

}  // namespace

pid_t fork_deputy(pid_t owner, const Pipe& alive) {
  const pid_t warden = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) be_deputy(owner, warden, alive);
  return std::max(pid, 0);
}

void dismiss_deputy(pid_t deputy) {
  if (deputy == 0) return;
  ::kill(deputy, SIGKILL);
  ::waitpid(deputy, nullptr, 0);
}

}  // namespace muster::process
