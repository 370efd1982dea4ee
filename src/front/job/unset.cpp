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

bool has_variable(const Call& call, const model::JobSpec& spec, std::string_view name) {
  if (model::is_unset(spec.environment, name)) return false;
  if (gives(spec, name)) return true;
  const bool is_ours = std::ranges::count(job::kAzureVariables, name) > 0;
  if (is_ours) return !model::is_silent(spec.environment, "Azure ML");
  return variable(call, name).has_value();
}

std::string meant(const std::string& name) {
  const std::vector<std::string> known(std::begin(job::kAzureVariables),
                                       std::end(job::kAzureVariables));
  const std::string hint = base::did_you_mean(name, known, "");
  return hint.empty() ? "" : fmt::format(" ({})", hint);
}

}  // namespace

void tell_unset(const Call& call, const job::JobFile& job, const model::JobSpec& spec,
                const std::vector<std::string>& sources, std::vector<std::string>& notices) {
  if (!job.command) return;
  const auto is_set = [&](std::string_view name) { return has_variable(call, spec, name); };
  for (const job::UnsetVariable& one : job::unset_variables(job.command->text, is_set)) {
    const job::Mark mark = place_in_command(call, job, one.word, one.before, sources);
    const base::Place place{sources[mark.file], mark.line, mark.column};
    notices.push_back(
        fmt::format("{}: nothing sets ${} for this job: the command gets an empty "
                    "text in its place{}",
                    base::to_string(place), one.name, meant(one.name)));
  }
}

}  // namespace muster::front
