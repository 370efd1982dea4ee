// Where Python finds muster's stand-ins for Azure ML's SDK in the processes of a job.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "front/call.hpp"
#include "front/request.hpp"
#include "model/job_spec.hpp"

namespace muster::front {

// In a record: the package, for hosts that do not have it.
inline constexpr std::string_view kPackageInRecord = "/python/muster";

// Puts the folder `typed`, or else that of the stand-ins, behind PYTHONPATH as each host has it:
// that of the job, of this shell, or its own. An image has one, too, and not the folder. Where the
// job's code goes to hosts, the package in the record comes before it; returns what is to be found
// there.
[[nodiscard]] std::optional<DataPath> add_python_path(const Call& call, const std::string& typed,
                                                      bool has_code, model::JobSpec& spec);

}  // namespace muster::front
