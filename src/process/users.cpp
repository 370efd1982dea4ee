// Looks through /proc. Processes of others cannot be seen, and have no business there.
#include "process/users.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "base/path.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {
namespace {

namespace fs = std::filesystem;

bool leads_into(const fs::path& link, const std::string& folder) {
  std::error_code wrong;
  const std::string path = fs::read_symlink(link, wrong).string();
  return !wrong && base::lies_in(path, folder);
}

bool has_open(const fs::path& process, const std::string& folder) {
  std::error_code wrong;
  for (fs::directory_iterator at(process / "fd", wrong), end; !wrong && at != end;
       at.increment(wrong)) {
    if (leads_into(at->path(), folder)) return true;
  }
  return false;
}

// As far as it can be read: a process that ends meanwhile makes reading fail, even from a file that
// was opened before.
std::string text_of(const fs::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> piece;
  while (file) {
    const ssize_t count = ::read(file.get(), piece.data(), piece.size());
    if (count <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return text;
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
      const std::string text = text_of(process / file);
      const bool is_named = text.find(folder) != text.npos || text.find(canonical) != text.npos;
      if (is_named) return true;
    }
  }
  return false;
}

}  // namespace muster::process
