// What the expressions of a job stand for: values of its inputs, folders of its outputs.
#pragma once

#include <string>
#include <vector>

#include "job/complaints.hpp"
#include "job/expression.hpp"
#include "job/job_file.hpp"

namespace muster::job {

// --set inputs.NAME=VALUE
struct Setting {
  std::string key;
  std::string value;
};

// `folder` is the job file's, `here` where paths of settings and the job's own outputs begin; both
// are absolute. Complaints: an input without a value, or with one that muster cannot reach; a
// setting that is of no input, or of the wrong type.
[[nodiscard]] Values values_of(const JobFile& job, const std::vector<Setting>& settings,
                               const std::string& folder, const std::string& here,
                               Complaints& complaints);

// A path as a folder makes it absolute.
[[nodiscard]] std::string below(const std::string& folder, std::string_view path);

}  // namespace muster::job
