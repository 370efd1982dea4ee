// read_keys: the keys of one job or component in, its JobFile out.
#pragma once

#include <string>
#include <vector>

#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "job/key.hpp"

namespace muster::job {

// Sets all but `source`. `later`: of a step, see TableReader. Returns notices.
[[nodiscard]] std::vector<std::string> read_keys(const Node& root, JobFile& job,
                                                 Complaints& complaints,
                                                 std::vector<Later<JobFile>>* later = nullptr);

// Whether `type` says so.
[[nodiscard]] bool is_parallel(const Node& root);

}  // namespace muster::job
