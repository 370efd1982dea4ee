// The lock that the head of a run holds on its record's events for as long as it lives.
//
// It is an fcntl lock, which the kernel releases when the process dies, and which works over NFS.
// Only one descriptor of the head may ever be open on the file: closing another would release the
// lock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace muster::store {

[[nodiscard]] bool take_lock(int file);

// The process that holds it, 0 when that cannot be seen from here; nothing when it is free.
[[nodiscard]] std::optional<std::int32_t> holder_of(int file);

// Returns once no process holds it.
void wait_for_lock(int file);

}  // namespace muster::store
