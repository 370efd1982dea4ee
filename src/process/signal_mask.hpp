// SignalMask and HeldSignals: which signals wait until somebody listens to them.
#pragma once

#include <csignal>
#include <vector>

#include "base/time.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {

// Blocks signals, or lets them through, as long as it lives.
class SignalMask {
 public:
  // `how`: SIG_BLOCK or SIG_UNBLOCK.
  SignalMask(int how, const std::vector<int>& numbers);
  ~SignalMask();
  SignalMask(const SignalMask&) = delete;
  SignalMask& operator=(const SignalMask&) = delete;

 private:
  sigset_t before_;
};

// Signals that end a program are held back, so that it can finish what it has begun: one that comes
// meanwhile is heard by the next head, or found with waiting_signal(). At its end they are dropped:
// what they were to end is over.
class HeldSignals {
 public:
  // `more`: others that would end the program, too.
  explicit HeldSignals(std::vector<int> more = {});
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  std::vector<int> numbers_;
  SignalMask mask_;
};

// Those that mean something to ranks alone. Who starts or cancels a batch job can have them sent to
// all processes of its steps (sbatch --signal, scancel --signal), and they would end this one.
void ignore_signals_for_ranks();

// One that is held back and asks the program to end; 0: none does.
[[nodiscard]] int waiting_signal();
// Whether what takes long is still wanted: none is held back.
[[nodiscard]] inline bool no_signal_waits() { return waiting_signal() == 0; }
// Drops those that waiting_signal() would find.
void drop_waiting_signals();
// For poll: readable while waiting_signal() finds one. Nothing: the kernel has no room.
[[nodiscard]] UniqueFd sight_of_signals();
// Waits so long, but at most until waiting_signal() finds one: a sleep would not be interrupted.
void rest(base::Duration time);

}  // namespace muster::process
