// Makes the links and removes them.
#include "host/launcher_links.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::host {
namespace {

namespace fs = std::filesystem;
using base::fail;
using base::Fault;

// By the name of its file; by that of this process where the file has gone or is another one, as
// when a newer muster has been installed meanwhile.
fs::path own_program(std::error_code& wrong) {
  const fs::path here = "/proc/self/exe";
  fs::path named = fs::read_symlink(here, wrong);
  std::error_code gone;
  if (wrong || fs::equivalent(named, here, gone)) return named;
  return fmt::format("/proc/{}/exe", ::getpid());
}

}  // namespace

base::Result<LauncherLinks> LauncherLinks::make(process::Removals& removals) {
  std::error_code wrong;
  std::string folder = (fs::temp_directory_path(wrong) / "muster-launchers-XXXXXX").string();
  if (wrong || ::mkdtemp(folder.data()) == nullptr) {
    return fail(Fault::cannot_start, "is TMPDIR there a folder that you may write to?",
                "cannot make a folder for the job's launchers");
  }
  return LauncherLinks(removals, folder);
}

base::Result<void> LauncherLinks::add(const std::vector<std::string>& names) {
  std::error_code wrong;
  const fs::path own = own_program(wrong);
  for (const std::string& name : names) {
    if (!wrong) fs::create_symlink(own, folder_ / fs::path(name).filename(), wrong);
  }
  if (!wrong) return {};
  return fail(Fault::cannot_start, "", "cannot write to {}: {}", folder_, wrong.message());
}

LauncherLinks::LauncherLinks(LauncherLinks&& other) noexcept
    : removals_(other.removals_), folder_(std::exchange(other.folder_, {})) {}

LauncherLinks::~LauncherLinks() {
  if (!folder_.empty()) removals_.remove(folder_);
}

}  // namespace muster::host
