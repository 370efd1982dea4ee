// One level after the other; a folder that its owner has closed is opened first.
#include "process/tree.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>

namespace muster::process {
namespace {

constexpr int kDeepest = 500;  // each level holds a descriptor

FileTime file_time(const timespec& time) {
  return FileTime(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

FileKind kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return FileKind::folder;
  return S_ISREG(mode) ? FileKind::file : FileKind::other;
}

std::optional<FolderEntry> look_at(int at, const std::string& name) {
  struct stat facts {};
  if (::fstatat(at, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  constexpr std::uint64_t kBlock = 512;
  const std::uint64_t links = S_ISDIR(facts.st_mode) ? 1 : std::max<nlink_t>(1, facts.st_nlink);
  return FolderEntry{name,
                     kind_of(facts.st_mode),
                     static_cast<std::uint64_t>(facts.st_blocks) * kBlock / links,
                     static_cast<std::uint64_t>(facts.st_size),
                     file_time(facts.st_mtim),
                     file_time(facts.st_atim),
                     facts.st_uid,
                     facts.st_dev};
}

std::uint64_t add_up(int at, const FolderEntry& entry, int depth) {
  std::uint64_t bytes = entry.bytes;
  if (entry.kind != FileKind::folder || depth > kDeepest) return bytes;
  const UniqueFd folder = open_folder(at, entry.name);
  if (!folder) return bytes;
  for (const FolderEntry& below : entries_of(folder.get())) {
    if (below.device == entry.device) bytes += add_up(folder.get(), below, depth + 1);
  }
  return bytes;
}

FileTime newest(int at, const FolderEntry& entry, int depth) {
  FileTime time = entry.modified;
  if (entry.kind != FileKind::folder || depth > kDeepest) return time;
  const UniqueFd folder = open_folder(at, entry.name);
  for (const FolderEntry& below : entries_of(folder.get())) {
    time = std::max(time, newest(folder.get(), below, depth + 1));
  }
  return time;
}

// Never what a link leads to.
void open_to_owner(int at, const std::string& name) {
  const UniqueFd folder(::openat(at, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder) (void)::chmod(fmt::format("/proc/self/fd/{}", folder.get()).c_str(), 0700);
}

class Remover {
 public:
  void remove(int at, const FolderEntry& entry, const std::string& path, int depth) {
    if (entry.kind == FileKind::folder && !empty(at, entry, path, depth)) return;
    const int flags = entry.kind == FileKind::folder ? AT_REMOVEDIR : 0;
    if (::unlinkat(at, entry.name.c_str(), flags) == 0) {
      removed_.bytes += entry.bytes;
    } else if (errno != ENOENT) {
      leave(path, errno);
    }
  }
  Removed take() { return std::move(removed_); }

 private:
  bool empty(int at, const FolderEntry& entry, const std::string& path, int depth) {
    if (depth > kDeepest) return leave(path, ELOOP);
    UniqueFd folder = open_folder(at, entry.name);
    if (!folder && errno == EACCES) {
      open_to_owner(at, entry.name);
      folder = open_folder(at, entry.name);
    }
    if (!folder) return errno == ENOENT || leave(path, errno);
    struct stat facts {};
    if (::fstat(folder.get(), &facts) != 0) return leave(path, errno);
    if (facts.st_dev != entry.device) return leave(path, EXDEV);
    if ((facts.st_mode & S_IRWXU) != S_IRWXU) (void)::fchmod(folder.get(), 0700);
    for (const FolderEntry& below : entries_of(folder.get())) {
      const std::string its = path + "/" + below.name;
      if (below.device == entry.device) {
        remove(folder.get(), below, its, depth + 1);
      } else {
        (void)leave(its, EXDEV);
      }
    }
    return true;
  }

  bool leave(const std::string& path, int why) {
    if (removed_.why == 0) {
      removed_.left = path;
      removed_.why = why;
    }
    return false;
  }

  Removed removed_;
};

// A name in a folder that no link leads to.
struct Place {
  UniqueFd folder;
  std::string name;
};

Place place_of(int at, std::string_view path) {
  UniqueFd folder(::openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/')) {
    folder = open_folder(folder.get(), std::string(path.substr(0, slash)));
    path.remove_prefix(slash + 1);
  }
  return {std::move(folder), std::string(path)};
}

}  // namespace

UniqueFd open_folder(int at, const std::string& name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  return UniqueFd(::openat(at, name.c_str(), kFlags));
}

std::optional<std::vector<FolderEntry>> read_entries(int folder) {
  std::vector<FolderEntry> entries;
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // closedir closes it
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(own < 0 ? nullptr : ::fdopendir(own),
                                                   ::closedir);
  if (!opened) return std::nullopt;
  errno = 0;
  while (const dirent* entry = ::readdir(opened.get())) {
    const std::string name = entry->d_name;
    auto found = name == "." || name == ".." ? std::nullopt : look_at(folder, name);
    if (found) entries.push_back(std::move(*found));
    if (!found && errno != 0 && errno != ENOENT) return std::nullopt;
    errno = 0;
  }
  if (errno != 0) return std::nullopt;
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

std::vector<FolderEntry> entries_of(int folder) {
  return read_entries(folder).value_or(std::vector<FolderEntry>());
}

std::uint64_t bytes_of(int at, const std::string& path) {
  const Place place = place_of(at, path);
  const auto entry = look_at(place.folder.get(), place.name);
  return entry ? add_up(place.folder.get(), *entry, 0) : 0;
}

FileTime last_change(int at, const std::string& path) {
  const Place place = place_of(at, path);
  const auto entry = look_at(place.folder.get(), place.name);
  return entry ? newest(place.folder.get(), *entry, 0) : FileTime();
}

FileTime own_change(int at, const std::string& path) {
  const Place place = place_of(at, path);
  const auto entry = look_at(place.folder.get(), place.name);
  return entry ? entry->modified : FileTime();
}

Removed remove_tree(int at, const std::string& path) {
  const Place place = place_of(at, path);
  struct stat around {};
  struct stat whole {};
  const auto entry = look_at(place.folder.get(), place.name);
  if (!entry || ::fstat(place.folder.get(), &around) != 0 || ::fstat(at, &whole) != 0) return {};
  if (entry->device != around.st_dev || around.st_dev != whole.st_dev) return {0, path, EXDEV};
  Remover remover;
  remover.remove(place.folder.get(), *entry, path, 0);
  return remover.take();
}

}  // namespace muster::process
