// Looks where `make install` puts the package, and where the sources have it.
#include "cli/stand_ins.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "store/files.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "muster/in_ranks/azureml/__init__.py";

bool holds_package(const fs::path& folder) {
  std::error_code wrong;
  return fs::is_regular_file(folder / kModule, wrong);
}

// PREFIX/lib/python3.11 and the like: any will do, the package is the same for all.
std::vector<fs::path> pythons_below(const fs::path& prefix) {
  std::vector<fs::path> found;
  std::error_code wrong;
  for (fs::directory_iterator at(prefix / "lib", wrong); !wrong && at != fs::directory_iterator();
       at.increment(wrong)) {
    if (at->path().filename().string().starts_with("python3")) found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

bool is_program(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".py" || ending == ".ipynb";
}

}  // namespace

std::string stand_ins_beside(const std::string& program) {
  const fs::path prefix = fs::path(program).parent_path().parent_path();
  if (prefix.empty()) return {};
  std::vector<fs::path> places = {prefix / "python"};
  for (const fs::path& python : pythons_below(prefix)) {
    places.push_back(python / "site-packages");
    places.push_back(python / "dist-packages");
  }
  const auto found = std::ranges::find_if(places, holds_package);
  return found == places.end() ? "" : (*found / "muster/in_ranks").string();
}

bool names_azureml(const std::string& code) {
  constexpr std::size_t kFileMax = std::size_t{1} << 20;
  std::error_code wrong;
  fs::recursive_directory_iterator at(code, fs::directory_options::skip_permission_denied, wrong);
  for (; !wrong && at != fs::recursive_directory_iterator(); at.increment(wrong)) {
    std::error_code gone;
    if (!is_program(at->path()) || !at->is_regular_file(gone)) continue;
    const auto text = store::read_file(at->path().string(), kFileMax);
    if (text && text->find("azureml") != std::string::npos) return true;
  }
  return false;
}

}  // namespace muster::cli
