// Allocation: hosts that a batch system gives out for as long as a program of its own runs, which
// this process keeps.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "process/companion.hpp"
#include "process/signal_mask.hpp"
#include "queue/commands.hpp"

namespace muster::queue {

struct AllocationEvents {
  std::function<void(const std::string&)> say;  // a line for people: why the request waits
  std::function<bool()> goes_on;                // asked ten times a second, and when a signal waits
};

// Why there are no hosts.
struct NoHosts {
  base::Error error;
  std::optional<int> code = {};  // of a request whose job has ended; else that of the error
};

class Allocation {
 public:
  // Blocks until the hosts are there. `holder` is called as their command: it writes its
  // environment, each variable and then the whole ended by a null byte, and waits for the end of
  // its stdin. Null: `goes_on` said no, and the request is withdrawn, as it is when this process is
  // killed.
  using Waited = tl::expected<std::unique_ptr<Allocation>, NoHosts>;
  [[nodiscard]] static Waited wait_for(const Commands& commands, const batch::Wish& wish,
                                       const batch::Words& holder, AllocationEvents events);
  // Gives the hosts back.
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  // That of a command in the job.
  [[nodiscard]] const std::vector<std::string>& environment() const { return environment_; }
  // What the program says from now on (System::allocating); its end: the hosts are gone.
  [[nodiscard]] int says() const { return holder_->pipes().err.get(); }

 private:
  using Clock = std::chrono::steady_clock;

  Allocation(const Commands& commands, AllocationEvents events);
  [[nodiscard]] tl::expected<bool, NoHosts> wait();
  [[nodiscard]] bool listen();
  [[nodiscard]] NoHosts why_none() const;
  [[nodiscard]] std::string take_away(const std::string& id) const;
  [[nodiscard]] std::string may_go_on(const std::string& id, const batch::Refusal& why) const;
  void tell_why_it_waits();

  const Commands& commands_;
  AllocationEvents events_;
  process::UniqueFd signals_ = process::sight_of_signals();
  std::unique_ptr<process::Companion> holder_;
  bool is_given_ = false;
  std::string out_;
  std::string said_;
  std::vector<std::string> environment_;
  std::set<std::string> told_;  // each once
  Clock::time_point next_look_;
  Clock::duration pause_;
};

}  // namespace muster::queue
