// Looks through /proc. Processes of others cannot be seen, and have no business there.
#include "process/users.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace muster::process {
namespace {

namespace fs = std::filesystem;

bool is_around(const std::string& folder, const std::string& path) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool leads_into(const fs::path& link, const std::string& folder) {
  std::error_code wrong;
  const std::string path = fs::read_symlink(link, wrong).string();
  return !wrong && is_around(folder, path);
}

bool has_open(const fs::path& process, const std::string& folder) {
  std::error_code wrong;
  for (fs::directory_iterator at(process / "fd", wrong), end; !wrong && at != end;
       at.increment(wrong)) {
    if (leads_into(at->path(), folder)) return true;
  }
  return false;
}

bool names(const fs::path& file, const std::string& folder) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return text.find(folder) != std::string::npos;
}

}  // namespace

bool has_users(const std::string& folder) {
  std::error_code wrong;
  const fs::path real = fs::canonical(folder, wrong);
  const std::string canonical = wrong ? folder : real.string();
  const std::string own = std::to_string(::getpid());
  for (fs::directory_iterator at("/proc", wrong), end; !wrong && at != end; at.increment(wrong)) {
    const std::string pid = at->path().filename();
    const bool is_process = std::ranges::all_of(pid, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_process || pid == own) continue;
    const fs::path& process = at->path();
    if (leads_into(process / "cwd", canonical) || has_open(process, canonical)) return true;
    for (const char* file : {"cmdline", "environ"}) {
      if (names(process / file, folder) || names(process / file, canonical)) return true;
    }
  }
  return false;
}

}  // namespace muster::process
