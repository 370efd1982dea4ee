// What the user of this process is called where others read it.
#pragma once

#include <string>
#include <vector>

namespace muster::cli {

// As $USER says; the number of the user where it does not.
[[nodiscard]] std::string own_user(const std::vector<std::string>& environment);

// The same on each machine of a person, and another for each person: "ana". root is somebody else
// on each machine: "root@laptop".
[[nodiscard]] std::string user_everywhere(const std::vector<std::string>& environment);

}  // namespace muster::cli
