// What sets a variable of a job's processes: muster, the job file, or the launching shell.
#include "front/job/unset.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "front/job/script.hpp"
#include "job/unset_variables.hpp"
#include "model/environment_rule.hpp"

namespace muster::front {
namespace {

bool gives(const model::JobSpec& spec, std::string_view name) {
  return std::ranges::any_of(spec.apps, [&](const model::App& app) {
    return std::ranges::count(app.exports, name, &model::EnvSetting::name) > 0;
  });
}

bool has_variable(const Call& call, const model::JobSpec& spec, const job::Target& target,
                  std::string_view name) {
  if (model::is_unset(spec.environment, name)) return false;
  if (gives(spec, name)) return true;
  // Images of Azure ML have variables of their own, such as AZUREML_CONDA_ENVIRONMENT_PATH.
  const bool has_image = spec.container || target.kubernetes;
  if (has_image && name.starts_with("AZUREML_")) return true;
  const bool is_ours = std::ranges::count(job::kAzureVariables, name) > 0;
  if (is_ours) return !model::is_silent(spec.environment, "Azure ML");
  return variable(call, name).has_value();
}

// Nothing for a name that is known, and left out.
std::string meant(const std::string& name) {
  if (std::ranges::count(job::kAzureVariables, name) > 0) return {};
  const std::vector<std::string> known(std::begin(job::kAzureVariables),
                                       std::end(job::kAzureVariables));
  const std::string hint = base::did_you_mean(name, known, "");
  return hint.empty() ? "" : fmt::format(" ({})", hint);
}

}  // namespace

void tell_unset(const Call& call, const job::JobFile& job, const model::JobSpec& spec,
                const job::Target& target, const std::vector<std::string>& sources,
                std::vector<std::string>& notices) {
  const bool has_setup = target.batch && !target.batch->setup.empty() && !call.is_queued_run;
  if (!job.command || has_setup) return;
  const auto is_set = [&](std::string_view name) { return has_variable(call, spec, target, name); };
  for (const job::UnsetVariable& one : job::unset_variables(job.command->text, is_set)) {
    const job::Mark mark = place_in_command(call, job, one.word, one.before, sources);
    const base::Place place{sources[mark.file], mark.line, mark.column};
    notices.push_back(
        fmt::format("{}: nothing sets ${} for this job, so it is empty in the command{}",
                    base::to_string(place), one.name, meant(one.name)));
  }
}

}  // namespace muster::front
