// plain_values: values of job files that Azure ML's client hands on as another text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_file.hpp"

namespace muster::job {

// What Azure ML's client (azure-ai-ml 1.35) makes of an unquoted value: it reads YAML 1.1, so that
// `yes` is True, and 010 is 8, and passes on what Python prints. Nothing where programs see the
// same, or the same number with other digits: 0.010 and 0.01.
std::optional<std::string> passed_by_azure(std::string_view plain);

// A line for each such input and variable of a job of CLI v2, which muster passes on as written.
std::vector<std::string> values_that_differ(const JobFile& job);

}  // namespace muster::job
