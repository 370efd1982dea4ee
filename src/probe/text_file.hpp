// Small text files of the kernel and of the system.
#pragma once

#include <string>

namespace muster::probe {

// The whole file, or nothing when it cannot be read; at most 1 MiB of it.
[[nodiscard]] std::string read_text(const std::string& path);

}  // namespace muster::probe
