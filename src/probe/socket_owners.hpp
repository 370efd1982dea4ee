// socket_owners: whose the local sockets of this machine are.
#pragma once

#include <cstdint>
#include <map>

namespace muster::probe {

// The numbers of the users who made them, by the sockets' inodes, as sock_diag(7) tells them from
// Linux 5.3 on. Empty where it does not.
[[nodiscard]] std::map<std::uint64_t, std::uint32_t> socket_owners();

}  // namespace muster::probe
