// Whether a process has to do with a folder.
#pragma once

#include <string>

namespace muster::process {

// Whether a process of ours, other than this one, is in it or below it, has a file there open, or
// names it in its arguments or its environment.
[[nodiscard]] bool has_users(const std::string& folder);

}  // namespace muster::process
