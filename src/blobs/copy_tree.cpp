// By descriptors of folders, name by name. Each level holds two, and takes no stack.
#include "blobs/copy_tree.hpp"

#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/depth.hpp"
#include "blobs/files.hpp"
#include "process/copy_file.hpp"
#include "process/tree.hpp"
#include "snapshot/paths.hpp"

namespace muster::blobs {
namespace {

// A name in an open folder.
struct Spot {
  int folder = AT_FDCWD;
  std::string name;
  [[nodiscard]] const char* c_str() const { return name.c_str(); }
};

// Times, where the file system lets its users set them.
bool keep_facts(int file, const struct stat& facts) {
  constexpr mode_t kMode = 0777;
  const timespec times[] = {facts.st_atim, facts.st_mtim};
  (void)::futimens(file, times);
  return ::fchmod(file, facts.st_mode & kMode) == 0;
}

std::optional<std::string> target_of(const Spot& link) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(link.folder, link.c_str(), target.data(), target.size());
  if (size < 0) return std::nullopt;
  target.resize(static_cast<std::size_t>(size));
  return target;
}

bool copy_regular(const Spot& from, const Spot& to) {
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const process::UniqueFd source = open_regular_at(from.folder, from.name);
  struct stat facts {};
  if (!source || ::fstat(source.get(), &facts) != 0) return false;
  const process::UniqueFd copy(::openat(to.folder, to.c_str(), kNew, 0600));
  return copy && process::copy_file(source.get(), copy.get()) && keep_facts(copy.get(), facts);
}

class TreeCopy {
 public:
  TreeCopy(std::string root, CopiedLinks links) : root_(std::move(root)), links_(links) {}

  bool copy_all(const Spot& from, const Spot& to) {
    if (!copy(from, to, "")) return false;
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.done == level.entries.size()) {
        if (!keep_facts(level.copy.get(), level.facts)) return fails(level.path);
        levels_.pop_back();
        continue;
      }
      const std::string name = level.entries[level.done++].name;
      const std::string its = level.path.empty() ? name : level.path + "/" + name;
      if (!copy({level.source.get(), name}, {level.copy.get(), name}, its)) return false;
    }
    return true;
  }

  // Whatever happened, its folders are closed.
  Copied take() {
    levels_.clear();
    return std::move(copied_);
  }

 private:
  // A folder that is being copied.
  struct Level {
    std::string path;
    process::UniqueFd source;
    process::UniqueFd copy;
    struct stat facts;
    std::vector<process::FolderEntry> entries;
    std::size_t done = 0;  // of the entries
  };

  // `path`: below the root; "" is that itself.
  bool copy(const Spot& from, const Spot& to, const std::string& path) {
    struct stat facts {};
    if (::fstatat(from.folder, from.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      return (errno == ENOENT && !levels_.empty()) || fails(path);
    }
    if (S_ISDIR(facts.st_mode)) return copy_folder(from, to, path);
    if (S_ISREG(facts.st_mode)) return copy_regular(from, to) || fails(path);
    if (S_ISLNK(facts.st_mode)) return copy_link(from, to, path) || fails(path);
    copied_.left_out.push_back({path, odd_kind(facts.st_mode)});
    return true;
  }

  bool copy_link(const Spot& from, const Spot& to, const std::string& path) {
    const auto target = target_of(from);
    if (!target) return false;
    const bool stays = !path.empty() && snapshot::link_stays(path, *target);
    if (links_ == CopiedLinks::inside && !stays) {
      copied_.left_out.push_back({path, "a link that leads out of it"});
      return true;
    }
    return ::symlinkat(target->c_str(), to.folder, to.c_str()) == 0;
  }

  bool copy_folder(const Spot& from, const Spot& to, const std::string& path) {
    if (levels_.size() > kFoldersDeep) {
      copied_.is_too_deep = true;
      errno = ENAMETOOLONG;
      return fails(cut_path(path));
    }
    process::UniqueFd source = process::open_folder(from.folder, from.name);
    struct stat facts {};
    if (!source || ::fstat(source.get(), &facts) != 0) return fails(path);
    if (::mkdirat(to.folder, to.c_str(), 0700) != 0) return fails(path);
    process::UniqueFd copied = process::open_folder(to.folder, to.name);
    auto entries = process::read_entries(source.get());
    if (!copied || !entries) return fails(path);
    levels_.push_back({path, std::move(source), std::move(copied), facts, std::move(*entries)});
    return true;
  }

  bool fails(const std::string& path) {
    copied_.why = errno;
    copied_.failed = path.empty() ? root_ : root_ + "/" + path;
    return false;
  }

  std::string root_;
  CopiedLinks links_;
  std::vector<Level> levels_;
  Copied copied_;
};

}  // namespace

Copied copy_tree(const std::string& from, const std::string& to, CopiedLinks links) {
  TreeCopy tree(from, links);
  const bool done = tree.copy_all({AT_FDCWD, from}, {AT_FDCWD, to});
  Copied copied = tree.take();
  if (done || copied.why == EEXIST) return copied;
  const std::size_t slash = to.rfind('/') + 1;
  const process::UniqueFd around(
      ::open(slash == 0 ? "." : to.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  (void)process::remove_tree(around.get(), to.substr(slash));
  return copied;
}

base::Error cannot_copy(const Copied& copied, const std::string& to) {
  const std::string_view why = copied.is_too_deep ? kTooDeep : std::strerror(copied.why);
  return {
      base::Fault::output, fmt::format("cannot copy {} to {}: {}", copied.failed, to, why), {}, {}};
}

}  // namespace muster::blobs
