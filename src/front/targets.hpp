// The muster.yml that holds for a folder.
#pragma once

#include <string>

#include "base/error.hpp"
#include "front/call.hpp"
#include "job/target.hpp"

namespace muster::front {

// Its targets; none without one. Fault::bad_file is among the reading's complaints, else the file
// cannot be read.
[[nodiscard]] base::Result<job::TargetsReading> known_targets(const Call& call,
                                                              const std::string& folder);

// The defaults for runs in the muster.yml of a folder, or else in that of the current folder, or in
// the user's; none where the call cannot tell which files exist. The error is the first complaint
// about these defaults, or about a file that is not valid YAML.
[[nodiscard]] base::Result<job::Targets> run_defaults(const Call& call, const std::string& folder);

// The folder that a path lies in.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace muster::front
