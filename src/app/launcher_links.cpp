// Makes the links and removes them.
#include "app/launcher_links.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::app {
namespace {

namespace fs = std::filesystem;
using base::fail;
using base::Fault;

std::error_code fill(const fs::path& folder, const std::vector<std::string>& names) {
  std::error_code wrong;
  const fs::path own = fs::read_symlink("/proc/self/exe", wrong);
  for (const std::string& name : names) {
    if (!wrong) fs::create_symlink(own, folder / fs::path(name).filename(), wrong);
  }
  return wrong;
}

}  // namespace

base::Result<LauncherLinks> LauncherLinks::make(const std::vector<std::string>& names) {
  std::error_code wrong;
  std::string folder = (fs::temp_directory_path(wrong) / "muster-launchers-XXXXXX").string();
  if (wrong || ::mkdtemp(folder.data()) == nullptr) {
    return fail(Fault::cannot_start, "is TMPDIR there a folder that you may write to?",
                "cannot make a folder for the job's launchers");
  }
  LauncherLinks links(folder);
  wrong = fill(folder, names);
  if (!wrong) return links;
  return fail(Fault::cannot_start, "", "cannot write to {}: {}", folder, wrong.message());
}

LauncherLinks::LauncherLinks(LauncherLinks&& other) noexcept
    : folder_(std::exchange(other.folder_, {})) {}

LauncherLinks::~LauncherLinks() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

}  // namespace muster::app
