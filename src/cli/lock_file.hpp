// lock_file: alone with what a file beside it stands for.
#pragma once

#include <cstdint>
#include <string>

#include "process/unique_fd.hpp"

namespace muster::cli {

enum class Busy : std::uint8_t { waits, fails };

// Nothing, with errno: there can be no lock, or it is EWOULDBLOCK, somebody else has it. Whoever
// removes what the file stands for may remove the file, too, while it has the lock: then there is a
// new one.
[[nodiscard]] process::UniqueFd lock_file(const std::string& path, Busy busy);

}  // namespace muster::cli
