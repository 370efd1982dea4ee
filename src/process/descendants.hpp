// Descendants: finds every process below one, or in a session, in /proc, and ends them without ever
// hitting a stranger that was given a recycled pid.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/time.hpp"

namespace muster::process {

struct ProcessStat {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';         // R, S, D, T (stopped), t (traced), Z ...: proc_pid_stat(5)
  std::uint64_t start = 0;  // clock ticks since boot; with the pid it names one process for ever
  std::string name;
};

// Nothing when there is no such process.
[[nodiscard]] std::optional<ProcessStat> read_process(pid_t pid);

// The parent of this process, its parent, and so on, as far as /proc shows them.
[[nodiscard]] std::vector<pid_t> ancestors();

// Visits each descendant of this process that /proc shows, in general at once when it is read, so
// that a visitor that kills outruns a chain of quick forks. One pass can miss a process whose
// parent ends meanwhile; whoever must not miss one passes again until no child is left. Spared
// processes are not visited, nor what is below them.
void visit_descendants(const std::function<void(const ProcessStat&)>& visit,
                       const std::set<pid_t>& spared = {});

// Visits each process of a session that /proc shows, whoever its parent is now.
void visit_session(pid_t session, const std::function<void(const ProcessStat&)>& visit);

// Sends a signal unless the process has ended and its pid was given to another.
void signal_process(const ProcessStat& process, int number);

// How a process waits for its children.
struct Reaping {
  // Reaps all that have ended; true when no child is left.
  std::function<bool()> reap;
  // Returns after this time, or earlier when a child may have ended.
  std::function<void(base::Duration)> pause;
};

// SIGKILL to all descendants but the spared, again and again until none is left or the limit has
// passed. Returns what is left, as "pid 42 (name)".
[[nodiscard]] std::vector<std::string> kill_until_gone(const Reaping& reaping, base::Duration limit,
                                                       const std::set<pid_t>& spared = {});

}  // namespace muster::process
