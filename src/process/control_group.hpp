// Control groups: the folders in which the kernel shows the limits and counters of a process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::process {

// Those of one controller ("memory", "pids", "cpu"), a process's own group first, then the groups
// above it, at last the mount. `membership` is the text of its /proc/PID/cgroup, `mounts` the
// folder where the hierarchies are mounted (/sys/fs/cgroup). In version 2 a group has all
// controllers; then its folder is there for each of them.
//
// A container may show the path of its group on the host, which does not exist inside: the folders
// that are not there stand in the list too, and the mount, which is the container's own, ends it.
[[nodiscard]] std::vector<std::string> group_folders(std::string_view membership,
                                                     std::string_view controller,
                                                     const std::string& mounts);

}  // namespace muster::process
