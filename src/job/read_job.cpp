// Reads a job file: YAML, its dialect's table, then the file as a whole.
#include "job/read_job.hpp"

#include <algorithm>

#include "job/check.hpp"
#include "job/read_keys.hpp"
#include "job/read_map.hpp"

namespace muster::job {
namespace {

// Files that hold something else than one job.
struct Other {
  std::string_view key;
  std::string_view value;  // empty: any; "/data.schema.json": whatever ends so
  std::string_view what;
  std::string_view hint = "muster runs commands: jobs, pipelines and sweeps of them";
};

constexpr std::string_view kSteps = "each of its steps is a job of its own: muster submit STEP.yml";

constexpr std::string_view kAsset = "this is a data asset, not a job";

constexpr Other kOthers[] = {
    {"jobs", "", "this is a pipeline", kSteps},
    {"type", "pipeline", "this is a pipeline", kSteps},
    {"type", "sweep", "this is a sweep over many jobs"},
    {"type", "parallel", "this is a parallel component, which has no command of its own",
     "make it a step of a pipeline: jobs: {NAME: {type: parallel, component: FILE}}"},
    {"type", "spark", "this is a Spark job"},
    {"type", "automl", "this is an AutoML job"},
    {"type", "data_transfer", "this is a data transfer, which Azure ML carries out"},
    {"type", "uri_file", kAsset},
    {"type", "uri_folder", kAsset},
    {"type", "mltable", kAsset},
    {"$schema", "/data.schema.json", kAsset},
    {"$schema", "/environment.schema.json", "this is an environment, not a job"},
    {"$schema", "/schedule.schema.json", "this is a schedule, not a job"},
    {"$schema", "/Run.schema.json", "this is a run of a prompt flow"},
    {"trigger", "", "this is a schedule, not a job"},
    {"component", "", "this is a job whose command is in a component",
     "muster submit takes the component's own file, and its inputs as --set inputs.NAME=VALUE"},
    {"targets", "", "these are compute targets, not a job"},
};

bool is_other(const Node& root, const Other& other) {
  const Entry* entry = find(root, other.key);
  if (entry == nullptr) return false;
  const std::string& text = entry->value->text;
  return other.value.starts_with('/') ? text.ends_with(other.value)
                                      : other.value.empty() || text == other.value;
}

bool refuse_others(const Node& root, Complaints& complaints) {
  const auto* other =
      std::ranges::find_if(kOthers, [&](const Other& one) { return is_other(root, one); });
  if (other == std::end(kOthers)) return false;
  complaints.add(find(root, other->key)->mark, std::string(other->what), std::string(other->hint));
  return true;
}

bool is_step_only(const Node& root, bool as_component) {
  return as_component && is_parallel(root) && find(root, "jobs") == nullptr;
}

JobReading read_file(std::string_view text, const std::string& source, bool as_component) {
  JobReading reading;
  Complaints complaints(source);
  const SharedNode root = read_map(text, {"a job file", "KEY: VALUE"}, complaints);
  reading.job.source = source;
  if (root && (is_step_only(*root, as_component) || !refuse_others(*root, complaints))) {
    reading.notices = read_keys(*root, reading.job, complaints);
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
