// Environments that lie in files of their own: `environment: file:./env.yml`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "job/complaints.hpp"
#include "job/job_file.hpp"

namespace muster::job {

// The path after "file:"; nothing: it is the name of something else.
[[nodiscard]] std::optional<std::string> environment_file(const Text& environment);

// Takes what the file says: image, packages, what to build. `path`: the file's, as seen from where
// the job's own paths begin; those in the file begin beside it.
void take_environment(std::string_view text, const std::string& path, JobFile& job,
                      Complaints& complaints);

}  // namespace muster::job
