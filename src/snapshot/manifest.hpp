// Manifest: what a folder of files is: names, modes, sizes, contents by hash, links. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::snapshot {

enum class EntryKind : std::uint8_t { folder, file, link };

struct Entry {
  EntryKind kind = EntryKind::file;
  std::string path;           // inside the folder
  std::uint32_t mode = 0;     // permissions alone; of files and folders
  std::uint64_t size = 0;     // of a file
  std::int64_t modified = 0;  // of a file; nanoseconds since 1970
  std::string hash = {};      // of a file's bytes: sha-256, 64 lower-case hexadecimal digits
  std::string target = {};    // of a link
  bool operator==(const Entry&) const = default;
};

struct Manifest {
  // By path, byte by byte, each once; an entry's folder is an entry before it.
  std::vector<Entry> entries;
  bool operator==(const Manifest&) const = default;
};

inline constexpr std::size_t kEntriesMax = 1'000'000;
inline constexpr std::size_t kManifestMax = std::size_t{256} << 20;

[[nodiscard]] bool is_hash(std::string_view text);

// What files() of them are, and their bytes.
struct Extent {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Extent&) const = default;
};
[[nodiscard]] Extent extent_of(const Manifest& manifest);

[[nodiscard]] std::map<std::string, Entry> by_path(const Manifest& manifest);

// As if an empty folder of this name lay in it; what is there already stays.
void add_folder(Manifest& manifest, const std::string& name);

// A line for each entry, after one that names the format; docs/RECORD.md describes them.
[[nodiscard]] std::string manifest_text(const Manifest& manifest);

// Reads what manifest_text() wrote, and trusts no line of it: nothing that it returns leads out of
// the folder, and nothing lies below a link.
[[nodiscard]] base::Result<Manifest> read_manifest(std::string_view text);

}  // namespace muster::snapshot
