// Looks through folders, as far as that is soon done.
#include "cli/files_below.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "cli/speak.hpp"
#include "process/ownership.hpp"
#include "store/folder.hpp"
#include "store/owner.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

bool ends_with_one(const std::string& path, const std::vector<std::string_view>& endings) {
  return std::ranges::any_of(endings, [&](auto ending) { return path.ends_with(ending); });
}

// Beside the records, or in a folder of them that nobody else can write to.
bool is_closed(const std::string& records, std::string_view name) {
  return store::own_below(records, name) ||
         process::why_not_own(fmt::format("{}/{}", records, name)).empty();
}

}  // namespace

front::FilesBelow files_below(const std::string& folder,
                              const std::vector<std::string_view>& endings) {
  front::FilesBelow found;
  std::error_code wrong;
  fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied,
                                           wrong);
  std::size_t seen = 0;
  for (; !wrong && entries != fs::recursive_directory_iterator(); entries.increment(wrong)) {
    const std::string path = entries->path().string();
    const std::string name = entries->path().filename().string();
    std::error_code ignored;
    const bool is_folder = entries->is_directory(ignored);
    if (is_folder && (name.starts_with('.') || entries.depth() + 1 >= kFoldersDeep)) {
      entries.disable_recursion_pending();
    }
    if (++seen > kEntriesMost || found.paths.size() >= kFilesMost) {
      found.are_all = false;
      break;
    }
    const bool fits =
        !is_folder && ends_with_one(path, endings) && entries->is_regular_file(ignored);
    if (fits) found.paths.push_back(path);
  }
  std::ranges::sort(found.paths);
  return found;
}

front::FilesBelow files_below(const std::string& folder,
                              const std::vector<std::string_view>& endings,
                              const std::vector<std::string>& paths) {
  front::FilesBelow found;
  for (const std::string& path : paths) {
    if (path.starts_with(folder + "/") && ends_with_one(path, endings)) found.paths.push_back(path);
  }
  std::ranges::sort(found.paths);
  found.paths.erase(std::unique(found.paths.begin(), found.paths.end()), found.paths.end());
  return found;
}

front::ListFiles lists_files(const std::vector<std::string>& environment) {
  const std::string records = store::records_folder(environment).value_or("");
  return
      [records, is_told = std::make_shared<bool>(false)](const auto& folder, const auto& endings) {
        constexpr std::string_view kRegistered = ".registered";
        front::FilesBelow found = files_below(folder, endings);
        const bool is_register = folder.starts_with(fmt::format("{}/{}/", records, kRegistered));
        if (!is_register || found.paths.empty() || is_closed(records, kRegistered)) return found;
        if (!std::exchange(*is_told, true)) {
          warn(store::not_own_below(records, kRegistered) + ", so its names are not used");
        }
        return front::FilesBelow();
      };
}

}  // namespace muster::cli
