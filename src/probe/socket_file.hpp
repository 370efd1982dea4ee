// socket_file: a socket with a path, at which another process of this user listens.
#pragma once

#include <string>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::probe {

// Blocks only while more wait there than its listener has room for. Fault::unreachable.
[[nodiscard]] base::Result<process::UniqueFd> connect_to(const std::string& path);

}  // namespace muster::probe
