// Waits for a guard's end, and looks now and then whether it or its owner is stopped.
#include "process/warden.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "process/deputy.hpp"
#include "process/descendants.hpp"
#include "process/epilogue.hpp"
#include "process/guard.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {
namespace {

constexpr base::Duration warden_sweep_limit{5000};
constexpr std::string_view warden_name = "job-warden";
// In a lease; a process that is stopped is killed after one and at most one and a quarter.
constexpr int looks_per_lease = 4;

// Reading and writing memory of our own, and another fork, would hold up the guard's start; nobody
// is that quick.
constexpr base::Duration bare_for{20};

base::Instant steady_now() {
  return base::Instant(std::chrono::steady_clock::now().time_since_epoch());
}

// Overwrites the words with which our owner was started: they are what `pkill -f` looks at.
void forget_words() {
  const UniqueFd file(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  char words[4096];
  const ssize_t size = file ? ::read(file.get(), words, sizeof words) : 0;
  char* const first = ::program_invocation_name;  // argv[0]; the others follow it
  if (size <= 0 || std::strcmp(words, first) != 0) return;
  const auto room = static_cast<std::size_t>(size);
  std::memset(first, 0, room);
  std::memcpy(first, warden_name.data(), std::min(warden_name.size(), room - 1));
}

bool is_stopped(pid_t pid) {
  const auto process = read_process(pid);
  return process && (process->state == 'T' || process->state == 't');
}

class Warden {
 public:
  Warden(pid_t owner, pid_t guard, std::vector<std::string> epilogue, Pipe alive)
      : owner_(owner), guard_(guard), epilogue_(std::move(epilogue)), alive_(std::move(alive)) {}
  ~Warden() { dismiss_deputy(deputy_); }
  Warden(const Warden&) = delete;
  Warden& operator=(const Warden&) = delete;

  // Returns how the warden ends.
  int run();

 private:
  [[nodiscard]] siginfo_t wait_for_signal();
  void prepare();
  void take_order(const siginfo_t& order);
  void look();
  [[nodiscard]] base::Duration pause() const;
  [[nodiscard]] bool owner_is_stopped() const;
  [[nodiscard]] int after_guard(int status);

  pid_t owner_;
  pid_t guard_;
  std::vector<std::string> epilogue_;
  Pipe alive_;  // for the deputy
  pid_t deputy_ = 0;
  base::Duration lease_{0};  // 0: nobody is looked after
  bool watches_owner_ = false;
  bool ended_guard_ = false;
  bool is_bare_ = true;
  StopWatch guard_watch_;
  StopWatch owner_watch_;
};

int Warden::run() {
  int status = 0;
  while (::waitpid(guard_, &status, WNOHANG) == 0) {
    const siginfo_t signal = wait_for_signal();
    if (signal.si_code == SI_QUEUE && signal.si_signo == kLeave) return kGuardLeft;
    if (signal.si_code == SI_QUEUE) take_order(signal);
    look();
  }
  return after_guard(status);
}

base::Duration Warden::pause() const {
  if (is_bare_) return bare_for;
  return lease_ == base::Duration{0} ? std::chrono::hours(1) : lease_ / looks_per_lease;
}

// si_signo is 0 when it is time for a look.
siginfo_t Warden::wait_for_signal() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int number : {SIGCHLD, kWatchGuard, kWatchBoth, kLeave}) ::sigaddset(&wanted, number);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(pause());
  const timespec limit{seconds.count(), std::chrono::nanoseconds(pause() - seconds).count()};
  siginfo_t signal{};
  if (::sigtimedwait(&wanted, &signal, &limit) > 0) return signal;
  if (std::exchange(is_bare_, false)) prepare();
  return {};
}

void Warden::prepare() {
  forget_words();
  deputy_ = fork_deputy(owner_, alive_);
  alive_.read.reset();
}

void Warden::take_order(const siginfo_t& order) {
  lease_ = base::Duration(std::max(0, order.si_value.sival_int));
  watches_owner_ = order.si_signo == kWatchBoth;
}

void Warden::look() {
  if (lease_ == base::Duration{0}) return;
  const auto now = steady_now();
  if (guard_ != 0 && guard_watch_.look(is_stopped(guard_), now, lease_)) {
    ended_guard_ = true;
    ::kill(guard_, SIGKILL);
  }
  if (owner_watch_.look(owner_is_stopped(), now, lease_)) ::kill(owner_, SIGKILL);
}

// One that has ended is the guard's business, and its number may be another's.
bool Warden::owner_is_stopped() const {
  return watches_owner_ && ::getppid() == owner_ && is_stopped(owner_);
}

// A guard that ended by itself has left nothing that could be ended. An owner that is stopped does
// not see the guard's end.
int Warden::after_guard(int status) {
  guard_ = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) return kGuardLeft;
  static_cast<void>(sweep_descendants(warden_sweep_limit, {deputy_}));
  run_epilogue(epilogue_);
  while (lease_ > base::Duration{0} && owner_is_stopped()) {
    static_cast<void>(wait_for_signal());
    look();
  }
  return ended_guard_ ? kGuardStopped : kGuardKilled;
}

}  // namespace

bool StopWatch::look(bool stopped, base::Instant now, base::Duration lease) {
  const bool late = now > last_ + lease / 2;
  last_ = now;
  if (!stopped) {
    since_.reset();
    return false;
  }
  if (!since_ || late) since_ = now;
  return now >= *since_ + lease;
}

void take_warden_name() { ::prctl(PR_SET_NAME, warden_name.data()); }

void be_warden(pid_t owner, pid_t guard, std::vector<std::string> epilogue, Pipe alive) {
  const int code = Warden(owner, guard, std::move(epilogue), std::move(alive)).run();
  ::_exit(code);
}

}  // namespace muster::process
