// The cpu quota of control groups: how many cores' worth of time a container or batch job may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::probe {

// The smallest quota of a process's groups and of the groups above them, in cores, rounded up;
// nothing when there is none. `membership` is the text of its /proc/PID/cgroup, `mounts` the folder
// where the hierarchies are mounted (/sys/fs/cgroup).
[[nodiscard]] std::optional<std::uint32_t> cpu_quota(std::string_view membership,
                                                     const std::string& mounts);

}  // namespace muster::probe
