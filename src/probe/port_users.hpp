// port_users: which sockets have to do with a TCP port, and which sockets a task has.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <sys/types.h>

namespace muster::probe {

// Of the sockets of this network that listen at one of these ports or are connected, or about to
// be, to one at their other end: the inodes, each with that port. `root` stands before /proc.
[[nodiscard]] std::map<std::uint64_t, std::uint16_t> port_users(
    const std::string& root, const std::set<std::uint16_t>& ports);

// The inodes of all sockets that the task, or a process that descends from it, has open.
[[nodiscard]] std::set<std::uint64_t> sockets_of(const std::string& root, pid_t task);

}  // namespace muster::probe
