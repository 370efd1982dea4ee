// Small text files of the kernel and of the system.
#pragma once

#include <cstddef>
#include <string>

namespace muster::probe {

// The whole file, or nothing when it cannot be read; at most 1 MiB of it.
[[nodiscard]] std::string read_text(const std::string& path);

// The first bytes of a file, at most so many; nothing when it cannot be read.
[[nodiscard]] std::string first_bytes(const std::string& path, std::size_t most);

}  // namespace muster::probe
