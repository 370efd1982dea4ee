// Folders within each other take neither descriptors nor stack, so there may be any number of them.
// A folder that its owner has closed is opened before it is removed. Only folders are asked for
// their file system: on an overlay, as in containers and on hosts without disks, files may name
// another one than their folder does; and a file that is mounted there cannot be removed anyhow.
#include "process/tree.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>

#include "base/columns.hpp"

namespace muster::process {
namespace {

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

// Sees a folder, or a file, and all below it, each entry after what lies in it. One folder is open
// at a time, and the one above is found again by "..", or else by the names on the way to it, if
// these still lead to the same folders.
class Walk {
 public:
  Walk() = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  virtual ~Walk() = default;

  // `entry` lies in the folder `at`; `path` is what it is called.
  void go(int at, const FolderEntry& entry, const std::string& path) {
    path_ = path;
    visit(at, entry);
    while (!levels_.empty()) {
      std::vector<FolderEntry>& folders = levels_.back().folders;
      if (folders.empty()) {
        climb(at);
        continue;
      }
      const FolderEntry next = std::move(folders.back());
      folders.pop_back();
      visit(folder_.get(), next);
    }
  }

 protected:
  // `at` is the folder in which the entry lies.
  virtual void see(int at, const FolderEntry& entry) = 0;
  virtual UniqueFd open(int at, const FolderEntry& entry) { return open_folder(at, entry.name); }
  // A folder that is not entered, since it cannot be opened or lies on another file system.
  virtual void pass_by(int at, const FolderEntry& entry, int why) = 0;
  // A folder has been moved while the walk was in it.
  virtual void strayed() {}

  // Of an entry that is being seen, or passed by.
  [[nodiscard]] std::string path_of(const FolderEntry& entry) const {
    if (levels_.empty()) return path_;
    std::string path = path_;
    for (std::size_t i = 1; i < levels_.size(); ++i) path += "/" + levels_[i].entry.name;
    return path + "/" + entry.name;
  }

 private:
  // A folder in which the walk is, or below which it is.
  struct Level {
    FolderEntry entry;
    std::vector<FolderEntry> folders = {};  // in it, which have not been seen yet
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };

  void visit(int at, const FolderEntry& entry) {
    if (entry.kind != FileKind::folder) return see(at, entry);
    UniqueFd folder = open(at, entry);
    struct stat facts {};
    if (!folder || ::fstat(folder.get(), &facts) != 0) return pass_by(at, entry, errno);
    levels_.push_back({entry, {}, facts.st_dev, facts.st_ino});
    for (FolderEntry& below : entries_of(folder.get())) {
      if (below.kind != FileKind::folder) {
        see(folder.get(), below);
      } else if (below.device != entry.device) {
        pass_by(folder.get(), below, EXDEV);
      } else {
        levels_.back().folders.push_back(std::move(below));
      }
    }
    if (levels_.back().folders.empty()) {
      levels_.pop_back();
      return see(at, entry);
    }
    std::ranges::reverse(levels_.back().folders);  // the first is taken first
    folder_ = std::move(folder);
  }

  // All in the folder has been seen. `at`: where the walk began.
  void climb(int at) {
    const Level left = std::move(levels_.back());
    levels_.pop_back();
    if (levels_.empty()) return see(at, left.entry);
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
    UniqueFd above(::openat(folder_.get(), "..", kFlags));
    const int why = above || errno == ENOENT ? ESTALE : errno;
    if (!is_of(levels_.back(), above)) {
      strayed();
      const std::size_t found = find_again(at, above);
      if (found < levels_.size()) return lose(left, found, std::move(above), why);
    }
    folder_ = std::move(above);
    see(folder_.get(), left.entry);
  }

  static bool is_of(const Level& level, const UniqueFd& folder) {
    struct stat facts {};
    return folder && ::fstat(folder.get(), &facts) == 0 && facts.st_dev == level.device &&
           facts.st_ino == level.inode;
  }

  // How many of the folders on the way are where they were; `folder` is the last of these.
  std::size_t find_again(int at, UniqueFd& folder) {
    std::size_t found = 0;
    folder.reset();
    for (; found < levels_.size(); ++found) {
      UniqueFd next = open_folder(found == 0 ? at : folder.get(), levels_[found].entry.name);
      if (!is_of(levels_[found], next)) break;
      folder = std::move(next);
    }
    return found;
  }

  // Folders above `left` have been moved as well: the rest of them is not seen, but that of the
  // first `found` is.
  void lose(const Level& left, std::size_t found, UniqueFd folder, int why) {
    pass_by(folder.get(), left.entry, why);
    while (levels_.size() > found) {
      const FolderEntry entry = std::move(levels_.back().entry);
      levels_.pop_back();
      pass_by(folder.get(), entry, why);
    }
    folder_ = std::move(folder);
  }

  std::string path_;
  std::vector<Level> levels_;
  UniqueFd folder_;  // of the last level
};

class BytesBelow final : public Walk {
 public:
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void see(int, const FolderEntry& entry) override { bytes_ += entry.bytes; }
  void pass_by(int, const FolderEntry& entry, int why) override {
    if (why != EXDEV) bytes_ += entry.bytes;
  }

  std::uint64_t bytes_ = 0;
};

class NewestBelow final : public Walk {
 public:
  [[nodiscard]] FileTime time() const { return time_; }

 private:
  void see(int, const FolderEntry& entry) override { time_ = std::max(time_, entry.modified); }
  void pass_by(int at, const FolderEntry& entry, int) override { see(at, entry); }
  // What has not been seen may be as new as this.
  void strayed() override { time_ = std::chrono::system_clock::now(); }

  FileTime time_;
};

// Never what a link leads to.
void open_to_owner(int at, const std::string& name) {
  const UniqueFd folder(::openat(at, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder) (void)::chmod(fmt::format("/proc/self/fd/{}", folder.get()).c_str(), 0700);
}

class Remover final : public Walk {
 public:
  Removed take() { return std::move(removed_); }

 private:
  void see(int at, const FolderEntry& entry) override {
    const int flags = entry.kind == FileKind::folder ? AT_REMOVEDIR : 0;
    if (::unlinkat(at, entry.name.c_str(), flags) == 0) {
      removed_.bytes += entry.bytes;
    } else if (errno != ENOENT) {
      pass_by(at, entry, errno);
    }
  }

  UniqueFd open(int at, const FolderEntry& entry) override {
    UniqueFd folder = open_folder(at, entry.name);
    if (!folder && errno == EACCES) {
      open_to_owner(at, entry.name);
      folder = open_folder(at, entry.name);
    }
    struct stat facts {};
    if (!folder || ::fstat(folder.get(), &facts) != 0) return {};
    if (facts.st_dev != entry.device) {
      folder.reset();
      errno = EXDEV;
      return {};
    }
    if ((facts.st_mode & S_IRWXU) != S_IRWXU) (void)::fchmod(folder.get(), 0700);
    return folder;
  }

  // What has gone is no failure; of others the first is told.
  void pass_by(int, const FolderEntry& entry, int why) override {
    if (removed_.why != 0 || why == ENOENT) return;
    constexpr std::size_t kShown = 120;  // columns
    removed_.left = base::shortened(path_of(entry), kShown);
    removed_.why = why;
  }

  Removed removed_;
};

// A name in a folder that no link leads to.
struct Place {
  UniqueFd folder;
  std::string name;
};

// The folder may be one that cannot be listed, such as some /tmp.
Place place_of(int at, std::string_view path) {
  UniqueFd folder(::openat(at, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
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
  BytesBelow below;
  if (entry) below.go(place.folder.get(), *entry, path);
  return below.bytes();
}

FileTime last_change(int at, const std::string& path) {
  const Place place = place_of(at, path);
  const auto entry = look_at(place.folder.get(), place.name);
  NewestBelow below;
  if (entry) below.go(place.folder.get(), *entry, path);
  return below.time();
}

FileTime own_change(int at, const std::string& path) {
  const Place place = place_of(at, path);
  const auto entry = look_at(place.folder.get(), place.name);
  return entry ? entry->modified : FileTime();
}

Removed remove_tree(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;
  const std::string above = name == 0 ? "." : path.substr(0, name);
  const UniqueFd folder(::open(above.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return folder ? remove_tree(folder.get(), path.substr(name)) : Removed();
}

Removed remove_tree(int at, const std::string& path) {
  const Place place = place_of(at, path);
  struct stat around {};
  struct stat whole {};
  const auto entry = look_at(place.folder.get(), place.name);
  if (!entry || ::fstat(place.folder.get(), &around) != 0 || ::fstat(at, &whole) != 0) return {};
  const bool is_mounted = entry->kind == FileKind::folder && entry->device != around.st_dev;
  if (is_mounted || around.st_dev != whole.st_dev) return {0, path, EXDEV};
  Remover remover;
  remover.go(place.folder.get(), *entry, path);
  return remover.take();
}

}  // namespace muster::process
