// Makes the folders that a job wants to find on a host.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace muster::host {

// With the folders above them; those that are there already are left alone.
[[nodiscard]] base::Result<void> make_folders(const std::vector<std::string>& folders);

}  // namespace muster::host
