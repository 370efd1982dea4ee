// Entries that each host adds to those that it has.
#include "front/job/python_path.hpp"

#include <fmt/format.h>
#include <string_view>

#include "model/environment_rule.hpp"

namespace muster::front {
namespace {

// Below the package `muster`: a module azureml that takes all else from the package around it.
constexpr std::string_view kInPackage = "/muster/in_ranks";
constexpr std::string_view kFolder = "/in_ranks";

}  // namespace

std::optional<DataPath> add_python_path(const Call& call, const std::string& typed, bool has_code,
                                        model::JobSpec& spec) {
  const bool is_wanted = !typed.empty() || !model::is_unset(spec.environment, "PYTHONPATH");
  std::string folder = typed.empty() ? call.stand_ins : absolute(call, typed);
  if (spec.container || folder.empty() || !is_wanted) return std::nullopt;
  std::optional<DataPath> sent;
  const bool is_package = folder.ends_with(kInPackage);
  if (is_package && has_code && !spec.hosts.empty() && !call.record_folder.empty()) {
    sent.emplace().path = call.record_folder + std::string(kPackageInRecord);
    sent->from = folder.substr(0, folder.size() - kFolder.size());
    folder = fmt::format("{}{}:{}", sent->path, kFolder, folder);
  }
  for (model::App& app : spec.apps) app.python_path = folder;
  return sent;
}

}  // namespace muster::front
