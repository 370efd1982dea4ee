// Circumstances: what a host's kernel shows about the time when a rank failed there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::model {

// Counters of the kernel's out-of-memory killer.
struct MemoryCounters {
  struct Group {
    std::string folder;      // below /sys/fs/cgroup
    std::uint64_t hits = 0;  // how often its limit was reached, and not even waiting helped
    std::uint64_t killed = 0;
    bool operator==(const Group&) const = default;
  };
  std::vector<Group> groups;            // a process's own first, then those above it
  std::optional<std::uint64_t> killed;  // on the whole machine; read only where there are no groups
  bool operator==(const MemoryCounters&) const = default;
};

// How they have moved since the ranks of this host were started.
struct MemoryKills {
  std::uint64_t killed = 0;    // processes
  std::string group;           // the control group whose limit was reached; empty: not known
  std::uint64_t limit = 0;     // of that group, bytes; 0: not known
  bool whole_machine = false;  // counted on the whole machine: they may belong to other jobs
  bool operator==(const MemoryKills&) const = default;
};

// /dev/shm, in bytes.
struct SharedMemory {
  std::uint64_t size = 0;
  std::uint64_t free = 0;
  bool read_only = false;
  bool operator==(const SharedMemory&) const = default;
};

struct Circumstances {
  std::optional<MemoryKills> memory;   // nothing: the kernel does not count
  std::optional<SharedMemory> shared;  // nothing: there is no /dev/shm
  std::string gpu = {};  // what its GPUs are called; empty: not known, or not all the same
  bool operator==(const Circumstances&) const = default;
};

}  // namespace muster::model
