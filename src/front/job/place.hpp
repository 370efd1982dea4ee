// Where a job may run, as the command line and muster.yml say.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "front/call.hpp"
#include "front/job/options.hpp"
#include "job/job_spec.hpp"

namespace muster::front {

// Those of the muster.yml that holds for files of a folder; none without one.
[[nodiscard]] base::Result<job::TargetsReading> known_targets(const Call& call,
                                                              const std::string& folder);

// The target that a file asks for, if it does, with its hosts; the command line wins.
struct WantedTarget {
  std::optional<job::Text> name;
  std::string source;  // path of that file
};
[[nodiscard]] base::Result<job::Place> place_of(const Call& call, const JobDraft& draft,
                                                const WantedTarget& wanted,
                                                const job::Targets& known);

// The folder that a path lies in.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace muster::front
