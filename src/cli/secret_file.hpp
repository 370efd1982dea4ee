// read_secret_file: what the parts of a run know and nobody else may.
#pragma once

#include <string>

#include "base/error.hpp"

namespace muster::cli {

// Without a line end at its end. Refuses a file that others can read; one of root's, as Kubernetes
// mounts it, may be read by a group. Links are followed.
[[nodiscard]] base::Result<std::string> read_secret_file(const std::string& path);

}  // namespace muster::cli
