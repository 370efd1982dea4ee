// Reads a job file: YAML, its dialect's table, then the file as a whole.
#include "job/read_job.hpp"

#include <algorithm>
#include <iterator>

#include "job/check.hpp"
#include "job/other_files.hpp"
#include "job/plain_values.hpp"
#include "job/read_job_map.hpp"
#include "job/read_keys.hpp"

namespace muster::job {
namespace {

bool is_step_only(const Node& root, bool as_component) {
  return as_component && is_parallel(root) && find(root, "jobs") == nullptr;
}

JobReading read_file(std::string_view text, const std::string& source, bool as_component) {
  JobReading reading;
  Complaints complaints(source);
  const SharedNode root = read_job_map(text, {"a job file", "KEY: VALUE"}, complaints);
  reading.job.source = source;
  if (root && (is_step_only(*root, as_component) || !refuse_others(*root, complaints))) {
    reading.notices = read_keys(*root, reading.job, complaints);
    std::ranges::move(values_that_differ(reading.job), std::back_inserter(reading.notices));
    check(reading.job, text, complaints);
  }
  reading.complaints = std::move(complaints).take();
  return reading;
}

}  // namespace

JobReading read_job(std::string_view text, const std::string& source) {
  return read_file(text, source, false);
}

JobReading read_component(std::string_view text, const std::string& source) {
  return read_file(text, source, true);
}

}  // namespace muster::job
