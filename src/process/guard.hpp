// Guard: one small process beside the head or an agent that is the parent of every process which
// they start on this host.
//
// The owner sends orders over a socket; the guard starts, signals and reaps. It is a subreaper, so
// whatever a task leaves behind (double forks, setsid) stays its descendant and can be found
// without names or marks. It lives in a session of its own, holds none of the owner's descriptors,
// and when the owner vanishes it ends everything by itself: SIGTERM, grace, SIGKILL, until no
// descendant is left. When the guard itself vanishes the kernel kills what it started (the
// parent-death signal), and the rest falls to its parent, the warden, which sweeps it. Should that
// have been killed too, the rest falls to the owner (a subreaper like both of them), which then
// calls sweep_descendants().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "model/cpu_set.hpp"
#include "model/memory_policy.hpp"
#include "process/unique_fd.hpp"

namespace asio {
class io_context;
}

namespace muster::process {

// The owner's name for a process it ordered; reused only after a sweep.
using ProcessId = std::uint32_t;

// Entries that many processes share, laid out once: NAME=VALUE, each with its NUL.
struct EnvironmentBlock {
  std::string bytes;
  std::uint32_t count = 0;
  void add(std::string_view name, std::string_view value);
};

struct SpawnOrder {
  ProcessId id = 0;
  std::string program;                             // a path; not searched for
  std::vector<std::string> arguments;              // with argv[0]
  std::vector<std::string> environment;            // NAME=VALUE; with `common`, complete
  std::shared_ptr<const EnvironmentBlock> common;  // holds no name of `environment`; may be null
  std::string workdir;                             // empty: the guard's
  model::CpuSet cpus;  // where it may run; empty: wherever the guard may
  model::MemoryPolicy memory = {};
  // The child's 0, 1, 2; -1 means /dev/null. Borrowed: the caller closes them after spawn().
  int in = -1, out = -1, err = -1;
  // The child's kWireupDescriptor, for talking to an MPI wire-up server; -1 means that it has none.
  // Borrowed too.
  int wireup = -1;
};

struct Spawned {
  ProcessId id = 0;
  pid_t pid = 0;  // 0 when it could not be started
  int error = 0;  // errno then
};

struct Ended {
  ProcessId id = 0;
  pid_t pid = 0;
  std::int32_t code = 0;  // exit code, when signal is 0
  std::int32_t signal = 0;
  bool core_dumped = false;
  std::uint64_t max_rss_kib = 0;
  std::int64_t at_ns = 0;  // when the guard noticed: CLOCK_MONOTONIC
  bool last = false;       // no descendant of the guard is left, adopted ones included
};

// No process started by this guard is left, but for the leftovers ("pid 42 (name)").
struct Swept {
  std::vector<std::string> leftovers;
};

// How a guard died.
struct Lost {
  bool swept = false;    // its warden has swept what it left; else that falls to the owner
  bool stopped = false;  // its warden killed it, since somebody had stopped it for a lease
};

struct GuardEvents {
  std::function<void(const Spawned&)> spawned;
  std::function<void(const Ended&)> ended;
  std::function<void(const Swept&)> swept;
  std::function<void(Lost)> lost;  // the guard died; nothing else will be called
};

// A forked guard before an event loop exists. fork_guard() must run while the process has one
// thread; call it as early as possible, the guard shares the memory of that moment.
struct GuardProcess {
  pid_t warden = 0;
  UniqueFd socket;
};
// `epilogue`: a command (its first word a path) for what no signal ends. Once nothing is left of a
// vanished owner's processes the guard runs it, or, if it was killed itself, its warden.
[[nodiscard]] base::Result<GuardProcess> fork_guard(std::vector<std::string> epilogue = {});

// The owner's end. All calls return at once; answers come through the events, from the loop.
class Guard {
 public:
  Guard(asio::io_context& loop, GuardProcess process, GuardEvents events);
  ~Guard();  // unless it has left: closes the socket and waits for guard and warden to end
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Grace that the guard itself keeps when the owner vanishes.
  void set_grace(base::Duration grace);
  // A guard that is stopped (SIGSTOP) for so long is killed, and with it all that it started; where
  // `owner_too`, so is an owner, which ends all as its death does. 0: nobody is.
  void watch(base::Duration lease, bool owner_too);
  void spawn(const SpawnOrder& order);
  // Calls it once all that was ordered before has been sent, as a rule at once; signals and sweeps
  // that are ordered later are sent later. Who opens descriptors in it has no more of them open for
  // orders that wait than one order has. Not called when the guard dies.
  void when_sent(std::function<void()> then);
  // To the process group of one process; harmless when it has been reaped.
  void signal(ProcessId id, int number);
  // With all that is in it, when the owner has vanished and the processes with it.
  void remove_at_end(const std::string& folder);
  // The guard shall not run its epilogue.
  void skip_epilogue();
  // SIGKILL to every descendant, again and again, for at most five seconds; answered by `swept`. It
  // is not asked where it has said that nothing is left.
  void sweep();
  // Lets guard and warden end, and hears of nothing any more. The owner goes on while they vanish,
  // until wait_for_guards().
  void leave();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Until all guards that were left have ended, with their wardens; before this process does.
void wait_for_guards();

// Makes orphans of our descendants fall to this process. Called once by the head and each agent.
[[nodiscard]] base::Result<void> become_subreaper();

// Kills and reaps every descendant of this process, for at most `limit`; returns what is left.
// Spared are wardens of other guards, with all that is below them.
[[nodiscard]] std::vector<std::string> sweep_descendants(base::Duration limit,
                                                         const std::set<pid_t>& spared = {});

}  // namespace muster::process
