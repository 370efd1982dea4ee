// The kernel's counters and limits of memory. Reads, changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/circumstances.hpp"

namespace muster::probe {

// Of this process's control groups, in version 2 (memory.events) or version 1 (memory.oom_control,
// memory.failcnt); where these do not count, of the whole machine (/proc/vmstat).
[[nodiscard]] model::MemoryCounters memory_counters();

// The same, of another process and another machine: `membership` is the text of /proc/PID/cgroup,
// `mounts` stands for /sys/fs/cgroup, `vmstat` is the path of that file.
[[nodiscard]] model::MemoryCounters memory_counters(std::string_view membership,
                                                    const std::string& mounts,
                                                    const std::string& vmstat);

// Of the group in that folder, bytes; 0 when it has none.
[[nodiscard]] std::uint64_t memory_limit(const std::string& folder);

// Nothing when it is not a file system of its own.
[[nodiscard]] std::optional<model::SharedMemory> shared_memory(const char* folder = "/dev/shm");

}  // namespace muster::probe
