// Folders and all that lies in them, by descriptors: no link is ever followed, and no other file
// system entered. Folders may be nested to any depth.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "process/unique_fd.hpp"

namespace muster::process {

using FileTime = std::chrono::sys_time<std::chrono::nanoseconds>;

enum class FileKind : std::uint8_t { folder, file, other };

struct FolderEntry {
  std::string name;
  FileKind kind = FileKind::other;
  std::uint64_t bytes =
      0;  // that the entry itself takes on the disk; its part, if a file has several names
  std::uint64_t size = 0;
  FileTime modified;
  FileTime used;
  std::uint32_t owner = 0;
  std::uint64_t device = 0;
};

// A folder that is no link.
[[nodiscard]] UniqueFd open_folder(int at, const std::string& name);

// By name; what has gone meanwhile is left out. Nothing: not all of it can be read.
[[nodiscard]] std::optional<std::vector<FolderEntry>> read_entries(int folder);
// None, then.
[[nodiscard]] std::vector<FolderEntry> entries_of(int folder);

// What a folder and all below it take on the disk; `path` is seen from `at`, like the next one's.
// What is moved meanwhile may be missed, or count twice; all else counts.
[[nodiscard]] std::uint64_t bytes_of(int at, const std::string& path);

// When a folder, or anything below it, was changed last; and when a file was. Long ago, if there is
// none.
[[nodiscard]] FileTime last_change(int at, const std::string& path);
[[nodiscard]] FileTime own_change(int at, const std::string& path);

struct Removed {
  std::uint64_t bytes = 0;
  // The first thing that could not be removed, below `at`, cut where that is long; empty: nothing.
  std::string left = {};
  int why = 0;  // its errno
};

// Removes a file, a link, or a folder with all below it. What has gone already is no failure, so
// two may do this at once: each counts what it removed itself.
[[nodiscard]] Removed remove_tree(int at, const std::string& path);
// The same by a path of which all but the last name may be links.
[[nodiscard]] Removed remove_tree(const std::string& path);

}  // namespace muster::process
