// Removes what has not changed since.
#include "blobs/rotated.hpp"

#include <filesystem>

#include "blobs/fingerprint.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;
using snapshot::Entry;
using snapshot::EntryKind;

bool is_as_sent(const fs::path& path, const Entry& entry, const GoesOn& goes_on) {
  std::error_code wrong;
  const fs::file_status status = fs::symlink_status(path, wrong);
  if (entry.kind == EntryKind::link) {
    return fs::is_symlink(status) && fs::read_symlink(path, wrong) == entry.target;
  }
  return entry.kind == EntryKind::file && fs::is_regular_file(status) &&
         file_hash(path, goes_on) == entry.hash;
}

}  // namespace

// What lies in a folder comes after it; a folder that is not empty stays.
void remove_rotated(const std::string& record, const snapshot::Manifest& sent,
                    const std::set<std::string>& kept, const GoesOn& goes_on) {
  for (auto entry = sent.entries.rbegin(); entry != sent.entries.rend(); ++entry) {
    if (is_given_up(goes_on)) return;
    if (!entry->path.starts_with("checkpoints/") || kept.contains(entry->path)) continue;
    const fs::path path = fs::path(record) / entry->path;
    std::error_code ignored;
    const bool is_folder =
        entry->kind == EntryKind::folder && fs::is_directory(fs::symlink_status(path, ignored));
    if (is_folder || is_as_sent(path, *entry, goes_on)) fs::remove(path, ignored);
  }
}

}  // namespace muster::blobs
