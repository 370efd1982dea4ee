// One more entry of a variable that may have some.
#include "front/job/python_path.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "model/environment_rule.hpp"

namespace muster::front {
namespace {

constexpr std::string_view kName = "PYTHONPATH";

// Below the package `muster`: a module azureml that takes all else from the package around it.
constexpr std::string_view kInPackage = "/muster/in_ranks";
constexpr std::string_view kFolder = "/in_ranks";

void put_behind(const Call& call, const std::string& folder, model::JobSpec& spec) {
  for (model::App& app : spec.apps) {
    const auto said = std::ranges::find(app.exports, kName, &model::EnvSetting::name);
    const bool is_said = said != app.exports.end();
    std::string path =
        is_said ? said->value.value_or("") : std::string(variable(call, kName).value_or(""));
    path += (path.empty() ? "" : ":") + folder;
    if (is_said) {
      said->value = std::move(path);
    } else {
      app.exports.push_back({std::string(kName), std::move(path)});
    }
  }
}

}  // namespace

std::optional<DataPath> add_python_path(const Call& call, const std::string& typed, bool has_code,
                                        model::JobSpec& spec) {
  const bool is_wanted = !typed.empty() || !model::is_unset(spec.environment, kName);
  std::string folder = typed.empty() ? call.stand_ins : absolute(call, typed);
  if (spec.container || folder.empty() || !is_wanted) return std::nullopt;
  std::optional<DataPath> sent;
  const bool is_package = folder.ends_with(kInPackage);
  if (is_package && has_code && !spec.hosts.empty() && !call.record_folder.empty()) {
    sent.emplace().path = call.record_folder + std::string(kPackageInRecord);
    sent->from = folder.substr(0, folder.size() - kFolder.size());
    folder = fmt::format("{}{}:{}", sent->path, kFolder, folder);
  }
  put_behind(call, folder, spec);
  return sent;
}

}  // namespace muster::front
