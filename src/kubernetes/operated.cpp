// Reads conditions, of which the one that ends a job counts.
#include "kubernetes/operated.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "kubernetes/time.hpp"

namespace muster::kubernetes {
namespace {

const std::vector<Value>& listed_at(const Value& value, std::string_view path) {
  static const std::vector<Value> kNone;
  const Value* const found = value.at(path);
  return found == nullptr ? kNone : found->items;
}

std::string why_of(const Value& condition) {
  std::string why = text_at(condition, "message");
  if (why.empty()) why = text_at(condition, "reason");
  std::ranges::replace(why, '\n', ' ');
  while (why.ends_with(' ') || why.ends_with('.')) why.pop_back();
  return why;
}

Stage stage_of(const std::string& type) {
  if (type == "Succeeded" || type == "Completed" || type == "Complete") return Stage::succeeded;
  if (type == "Failed") return Stage::failed;
  return type == "Running" || type == "Restarting" ? Stage::running : Stage::queued;
}

// A JobSet and a TrainJob have no condition for it.
bool has_active_jobs(const Value& object) {
  const auto is_active = [](const Value& one) {
    const std::string active = text_at(one, "active");
    return !active.empty() && active != "0";
  };
  return std::ranges::any_of(listed_at(object, "status.replicatedJobsStatus"), is_active) ||
         std::ranges::any_of(listed_at(object, "status.jobsStatus"), is_active);
}

}  // namespace

std::string resource_of(const Value& object) {
  const std::string version = text_at(object, "apiVersion");
  const std::size_t slash = version.find('/');
  const std::string kind = base::lower(text_at(object, "kind")) + "s";
  return slash == std::string::npos ? kind : kind + "." + version.substr(0, slash);
}

const Value& carried_out(const std::vector<Value>& objects) { return objects.back(); }

std::string operator_of(const Value& object) {
  const std::string kind = text_at(object, "kind");
  if (kind == "PodGroup") {
    const bool is_volcano = text_at(object, "apiVersion").find("volcano") != std::string::npos;
    return is_volcano ? "volcano" : "scheduler-plugins";
  }
  if (kind == "MPIJob") return "mpi-operator";
  if (kind == "TrainJob") return "Kubeflow Trainer";
  return kind == "JobSet" ? "JobSet" : "training-operator";
}

OperatedState read_operated(const Value& object) {
  OperatedState state;
  if (has_active_jobs(object)) state.stage = Stage::running;
  for (const Value& condition : listed_at(object, "status.conditions")) {
    if (text_at(condition, "status") != "True") continue;
    const Stage stage = stage_of(text_at(condition, "type"));
    if (stage < state.stage) continue;
    const auto time = time_of(text_at(condition, "lastTransitionTime"));
    const bool is_first_run = stage == Stage::running && !state.started;
    state = {stage, why_of(condition), is_first_run ? time : state.started, std::nullopt};
    if (stage >= Stage::succeeded) state.ended = time;
  }
  const auto started = time_of(text_at(object, "status.startTime"));
  if (started && state.stage >= Stage::running) state.started = started;
  const auto ended = time_of(text_at(object, "status.completionTime"));
  if (ended && state.stage >= Stage::succeeded) state.ended = ended;
  return state;
}

}  // namespace muster::kubernetes
