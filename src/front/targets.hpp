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

// What that of the current folder says of `muster run`; its first complaint about that, or about a
// file that is none. Where nobody knows which files there are, there is none.
[[nodiscard]] base::Result<job::Targets> run_defaults(const Call& call);

// The folder that a path lies in.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace muster::front
