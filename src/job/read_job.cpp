// Reads a job file: YAML, its dialect's table, then the file as a whole.
#include "job/read_job.hpp"

#include <algorithm>

#include "job/check.hpp"
#include "job/table_reader.hpp"
#include "job/tables.hpp"
#include "job/yaml.hpp"

namespace muster::job {
namespace {

// Files that hold something else than one job.
struct Other {
  std::string_view key;
  std::string_view value;  // empty: any
  std::string_view what;
};

constexpr Other kOthers[] = {
    {"jobs", "", "this is a pipeline of several jobs"},
    {"type", "pipeline", "this is a pipeline of several jobs"},
    {"type", "sweep", "this is a sweep over many jobs"},
    {"type", "parallel", "this is a parallel job, which deals out batches of data"},
    {"type", "spark", "this is a Spark job"},
    {"type", "automl", "this is an AutoML job"},
    {"targets", "", "these are compute targets, not a job"},
};

bool is_other(const Node& root, const Other& other) {
  const Entry* entry = find(root, other.key);
  return entry != nullptr && (other.value.empty() || entry->value->text == other.value);
}

bool refuse_others(const Node& root, Complaints& complaints) {
  if (root.kind != Kind::map) {
    complaints.add(root.begin, fmt::format("a job file is a map, not {}", word(root.kind)),
                   "it begins with KEY: VALUE");
    return true;
  }
  const auto* other =
      std::ranges::find_if(kOthers, [&](const Other& one) { return is_other(root, one); });
  if (other == std::end(kOthers)) return false;
  complaints.add(find(root, other->key)->mark, std::string(other->what),
                 "muster runs single jobs: one command, many processes");
  return true;
}

}  // namespace

JobReading read_job(std::string_view text, const std::string& source) {
  JobReading reading;
  Complaints complaints(source);
  Document document = read_yaml(text, source);
  complaints.add(std::move(document.complaints));
  reading.job.source = source;
  if (document.root && !refuse_others(*document.root, complaints)) {
    reading.job.dialect = dialect_of(*document.root);
    TableReader<JobFile> reader(reading.job, complaints, elsewhere);
    reader.read(*document.root, table_of(reading.job.dialect));
    check(reading.job, text, complaints);
    for (const Idle& idle : std::move(reader).idle()) {
      reading.notices.push_back(fmt::format("{} has no effect here: {}", idle.path, idle.why));
    }
  }
  reading.complaints = std::move(complaints).take();
  return reading;
}

}  // namespace muster::job
