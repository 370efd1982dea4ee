// The lock that the head of a run holds on its record's events for as long as it lives, and one
// for what several runs may want to change at the same instant.
//
// They are fcntl locks, which the kernel releases when the process dies, and which work over NFS.
// Only one descriptor of the head may ever be open on the file: closing another would release the
// lock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "process/unique_fd.hpp"

namespace muster::store {

[[nodiscard]] bool take_lock(int file);

// The process that holds it, 0 when that cannot be seen from here; nothing when it is free.
[[nodiscard]] std::optional<std::int32_t> holder_of(int file);

// The same of one byte, where a file has several locks.
[[nodiscard]] bool take_byte(int file, std::int64_t byte);
[[nodiscard]] std::optional<std::int32_t> holder_of_byte(int file, std::int64_t byte);

// Returns once no process holds it.
void wait_for_lock(int file);

// Makes the file, and waits until no other process holds its lock, which goes with the descriptor.
// No descriptor: the file cannot be made (errno). Where there are no locks, nobody waits.
[[nodiscard]] process::UniqueFd lock_file(const std::string& path);
// The same of one that others may hold for long: it is given up (ECANCELED) once `goes_on` says no.
[[nodiscard]] process::UniqueFd lock_file(const std::string& path,
                                          const std::function<bool()>& goes_on);

}  // namespace muster::store
