// The outermost of all folders that ranks need.
#include "container/folders.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/path.hpp"

namespace muster::container {
namespace {

using model::ContainerMount;

// The image's own; without them nothing in it would run.
constexpr std::array<std::string_view, 12> kSystem = {"/bin", "/boot",  "/dev",   "/etc",
                                                      "/lib", "/lib32", "/lib64", "/proc",
                                                      "/run", "/sbin",  "/sys",   "/usr"};

bool may_cover(const std::string& path) {
  if (!path.starts_with('/') || path.find_first_not_of('/') == std::string::npos) return false;
  return std::ranges::none_of(kSystem,
                              [&](std::string_view folder) { return base::lies_in(path, folder); });
}

// In the order of their paths a folder stands before all that lies in it.
std::vector<std::string> outermost(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  std::vector<std::string> kept;
  for (std::string& path : paths) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const bool known =
        std::ranges::any_of(kept, [&](const std::string& one) { return base::lies_in(path, one); });
    if (!known && may_cover(path)) kept.push_back(std::move(path));
  }
  return kept;
}

}  // namespace

std::vector<ContainerMount> mounts_of_job(const model::JobSpec& spec,
                                          const std::vector<std::string>& others) {
  std::vector<std::string> paths = spec.folders;
  for (const model::App& app : spec.apps) paths.push_back(app.workdir);
  paths.insert(paths.end(), others.begin(), others.end());
  std::vector<ContainerMount> mounts;
  for (std::string& path : outermost(std::move(paths))) {
    const bool is_said = spec.container && std::ranges::count(spec.container->mounts, path,
                                                              &ContainerMount::target) > 0;
    if (!is_said) mounts.push_back({path, path, false});
  }
  if (spec.container) {
    mounts.insert(mounts.end(), spec.container->mounts.begin(), spec.container->mounts.end());
  }
  return mounts;
}

}  // namespace muster::container
