// Masks of this process, which has one thread.
#include "process/signal_mask.hpp"

#include <cerrno>
#include <ctime>
#include <poll.h>
#include <sys/signalfd.h>

namespace muster::process {
namespace {

// nohup and shells without job control mean what they say.
bool is_heeded(int number) {
  struct sigaction action {};
  ::sigaction(number, nullptr, &action);
  const bool may_be_ignored = number == SIGHUP || number == SIGQUIT;
  return !may_be_ignored || action.sa_handler != SIG_IGN;
}

sigset_t set_of(const std::vector<int>& numbers) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : numbers) ::sigaddset(&set, number);
  return set;
}

std::vector<int> ends() {
  std::vector<int> numbers;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (is_heeded(number)) numbers.push_back(number);
  }
  return numbers;
}

std::vector<int> ends_and(std::vector<int> more) {
  for (const int number : ends()) more.push_back(number);
  return more;
}

}  // namespace

void ignore_signals_for_ranks() {
  for (const int number : {SIGUSR1, SIGUSR2, SIGALRM, SIGPWR}) ::signal(number, SIG_IGN);
}

SignalMask::SignalMask(int how, const std::vector<int>& numbers) {
  const sigset_t set = set_of(numbers);
  ::sigprocmask(how, &set, &before_);
}

SignalMask::~SignalMask() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

HeldSignals::HeldSignals(std::vector<int> more)
    : numbers_(ends_and(std::move(more))), mask_(SIG_BLOCK, numbers_) {}

HeldSignals::~HeldSignals() {
  const sigset_t set = set_of(numbers_);
  const timespec no_time{};
  while (::sigtimedwait(&set, nullptr, &no_time) > 0 || errno == EINTR) {
  }
}

void drop_waiting_signals() {
  const sigset_t set = set_of(ends());
  const timespec no_time{};
  while (::sigtimedwait(&set, nullptr, &no_time) > 0 || errno == EINTR) {
  }
}

int waiting_signal() {
  sigset_t pending;
  if (::sigpending(&pending) != 0) return 0;
  for (const int number : ends()) {
    if (::sigismember(&pending, number) == 1) return number;
  }
  return 0;
}

UniqueFd sight_of_signals() {
  const sigset_t set = set_of(ends());
  return UniqueFd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

void rest(base::Duration time) {
  const UniqueFd signals = sight_of_signals();
  pollfd wanted{signals.get(), POLLIN, 0};
  ::poll(&wanted, 1, static_cast<int>(time.count()));
}

}  // namespace muster::process
