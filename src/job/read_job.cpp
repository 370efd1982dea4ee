// Reads a job file: YAML, its dialect's table, then the file as a whole.
#include "job/read_job.hpp"

#include <algorithm>

#include "job/check.hpp"
#include "job/read_map.hpp"
#include "job/table_reader.hpp"
#include "job/tables.hpp"

namespace muster::job {
namespace {

// Files that hold something else than one job.
struct Other {
  std::string_view key;
  std::string_view value;  // empty: any
  std::string_view what;
  std::string_view hint = "muster runs single jobs: one command, many processes";
};

constexpr std::string_view kSteps = "each of its steps is a job of its own: muster submit STEP.yml";

constexpr Other kOthers[] = {
    {"jobs", "", "this is a pipeline", kSteps},
    {"type", "pipeline", "this is a pipeline", kSteps},
    {"type", "sweep", "this is a sweep over many jobs"},
    {"type", "parallel", "this is a parallel job, which divides data into batches"},
    {"type", "spark", "this is a Spark job"},
    {"type", "automl", "this is an AutoML job"},
    {"component", "", "this is a job whose command is in a component",
     "muster submit takes the component's own file, and its inputs as --set inputs.NAME=VALUE"},
    {"targets", "", "these are compute targets, not a job"},
};

bool is_other(const Node& root, const Other& other) {
  const Entry* entry = find(root, other.key);
  return entry != nullptr && (other.value.empty() || entry->value->text == other.value);
}

bool refuse_others(const Node& root, Complaints& complaints) {
  const auto* other =
      std::ranges::find_if(kOthers, [&](const Other& one) { return is_other(root, one); });
  if (other == std::end(kOthers)) return false;
  complaints.add(find(root, other->key)->mark, std::string(other->what), std::string(other->hint));
  return true;
}

}  // namespace

JobReading read_job(std::string_view text, const std::string& source) {
  JobReading reading;
  Complaints complaints(source);
  const SharedNode root = read_map(text, {"a job file", "KEY: VALUE"}, complaints);
  reading.job.source = source;
  if (root && !refuse_others(*root, complaints)) {
    reading.job.dialect = dialect_of(*root);
    TableReader<JobFile> reader(reading.job, complaints, elsewhere);
    reader.read(*root, table_of(reading.job.dialect));
    check(reading.job, text, complaints);
    reading.notices = std::move(reader).notices();
  }
  reading.complaints = std::move(complaints).take();
  return reading;
}

}  // namespace muster::job
