// Children: which process of the guard has which id, and what became of it.
#pragma once

#include <functional>
#include <sys/types.h>
#include <unordered_map>

#include "process/guard.hpp"

namespace muster::process {

class Children {
 public:
  void add(ProcessId id, pid_t pid);
  // Reaps whatever has ended, adopted orphans too; `ended` hears of the added ones. True when this
  // process has no child left.
  bool reap(const std::function<void(const Ended&)>& ended);
  // To one process group; nothing happens when its leader has been reaped, since the number of the
  // group may be another's by now.
  void signal(ProcessId id, int number) const;
  void signal_all(int number) const;
  // No added process is left; adopted orphans may be.
  [[nodiscard]] bool empty() const { return pids_.empty(); }
  // Whether the process group belongs to an added process that has not been reaped.
  [[nodiscard]] bool leads(pid_t group) const { return ids_.contains(group); }

 private:
  std::unordered_map<ProcessId, pid_t> pids_;
  std::unordered_map<pid_t, ProcessId> ids_;
};

}  // namespace muster::process
