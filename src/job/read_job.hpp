// read_job: the text of a job file in, a JobFile out, or everything that is wrong with it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "job/job_file.hpp"

namespace muster::job {

struct JobReading {
  JobFile job;                          // worth nothing when there are complaints
  std::vector<base::Error> complaints;  // each Fault::bad_file, with its place; in that order
  std::vector<std::string> notices;     // keys that have no effect, one line each
};

// `source` is the file's path, used in places.
[[nodiscard]] JobReading read_job(std::string_view text, const std::string& source);

// The same of a component, which may be one that only a step of a pipeline can run.
[[nodiscard]] JobReading read_component(std::string_view text, const std::string& source);

}  // namespace muster::job
