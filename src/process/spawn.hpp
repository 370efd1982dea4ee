// Spawner: starts one process with a clean signal state, a process group and perhaps cpus of its
// own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <sys/types.h>
#include <vector>

#include "model/memory_policy.hpp"
#include "process/task_descriptors.hpp"

namespace muster::process {

struct SpawnRequest {
  const char* program = nullptr;
  char* const* arguments = nullptr;     // ends with a null pointer
  char* const* environment = nullptr;   // likewise
  const char* workdir = "";             // "" keeps the caller's
  std::span<const std::uint64_t> cpus;  // a bit for each where it may run; none keeps the caller's
  // The child's 0, 1, 2, 3; -1 leaves the caller's own there. All others must close on exec.
  std::array<int, kTaskDescriptors> descriptors{-1, -1, -1, -1};
  // The signal that it gets when the calling thread ends; 0: none. It reaches this one process, not
  // what that starts, and is lost when the program is set-uid or changes its user:
  // PR_SET_PDEATHSIG(2const).
  int when_caller_ends = 0;
  std::optional<mode_t> umask = std::nullopt;  // none keeps the caller's
  // The memory policy, `inherited` keeps the caller's; a bit for each of its NUMA nodes.
  model::MemoryMode memory_mode = model::MemoryMode::inherited;
  std::span<const std::uint64_t> memory_nodes = {};
};

struct SpawnResult {
  pid_t pid = 0;
  int error = 0;  // errno, when pid is 0
};

// Returns once the program runs, as posix_spawn does. That one resets all 64 signals in each child,
// looks up a limit for each descriptor, and maps a stack; and it knows nothing of cpus.
class Spawner {
 public:
  Spawner();  // notes which signals are not at their default: that had better not change

  [[nodiscard]] SpawnResult spawn(const SpawnRequest& request) const;

 private:
  std::vector<int> changed_;
};

}  // namespace muster::process
