// Reads all manifests, then looks at each content of the store.
#include "blobs/unnamed.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/files.hpp"
#include "process/tree.hpp"
#include "snapshot/manifest.hpp"

namespace muster::blobs {
namespace {

using process::FileKind;
using process::FolderEntry;

// Pipelines hold sweeps, and those trials; a record that is deeper is none of ours.
constexpr int kStepsDeep = 16;
constexpr std::string_view kHexadecimal = "0123456789abcdef";

bool is_manifest(const FolderEntry& entry) {
  const bool is_of_code = entry.name.starts_with("code.") && entry.name.ends_with("manifest");
  return (is_of_code || entry.name == "inputs.manifest") && entry.kind == FileKind::file;
}

process::UniqueFd folder_at(const std::string& path) {
  return process::UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// One that has gone names nothing.
void add_manifest(int folder, const FolderEntry& entry, const std::string& path, Named& named) {
  errno = 0;
  const auto text = read_whole_at(folder, entry.name, snapshot::kManifestMax);
  if (!text && errno == ENOENT) return;
  const auto manifest = text ? snapshot::read_manifest(*text) : base::fail({}, "", "unread");
  if (!manifest) {
    named.unread.push_back(path);
    return;
  }
  for (const snapshot::Entry& one : manifest->entries) {
    if (one.kind == snapshot::EntryKind::file) named.hashes.insert(one.hash);
  }
}

void add_record(int at, const std::string& name, const std::string& path, int depth, Named& named);

// A link that leads nowhere now: the disk that the record was moved to may not be mounted.
bool is_lost(int at, const std::string& name) {
  struct stat facts {};
  const bool is_there = ::fstatat(at, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  errno = ENOENT;
  return is_there && !name.starts_with('.');
}

void add_steps(int record, const std::string& path, int depth, Named& named) {
  const process::UniqueFd steps = process::open_folder(record, "steps");
  if (!steps && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) return;
  const auto entries = process::read_entries(steps.get());
  if (!entries || depth > kStepsDeep) return named.unread.push_back(path);
  for (const FolderEntry& step : *entries) {
    if (step.kind != FileKind::folder) continue;
    add_record(steps.get(), step.name, path + "/" + step.name, depth + 1, named);
  }
}

void add_record(int at, const std::string& name, const std::string& path, int depth, Named& named) {
  // The record of a run may have been moved, with a link in its place.
  const int follows = depth == 0 ? 0 : O_NOFOLLOW;
  const process::UniqueFd folder(
      ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | follows));
  if (!folder && errno == ENOENT && is_lost(at, name)) return named.unread.push_back(path);
  if (!folder && (errno == ENOENT || errno == ENOTDIR)) return;
  const auto entries = process::read_entries(folder.get());
  if (!entries) return named.unread.push_back(path);
  for (const FolderEntry& entry : *entries) {
    if (is_manifest(entry)) add_manifest(folder.get(), entry, path + "/" + entry.name, named);
  }
  add_steps(folder.get(), path + "/steps", depth, named);
}

bool is_hexadecimal(std::string_view text, std::size_t size) {
  return text.size() == size && text.find_first_not_of(kHexadecimal) == std::string_view::npos;
}

void add_stored(int store, const FolderEntry& folder, std::vector<StoreEntry>& entries,
                std::vector<std::string>& strange) {
  constexpr std::size_t kRest = 62;
  const process::UniqueFd opened = process::open_folder(store, folder.name);
  for (const FolderEntry& entry : process::entries_of(opened.get())) {
    const std::string path = folder.name + "/" + entry.name;
    if (entry.kind == FileKind::file && is_hexadecimal(entry.name, kRest)) {
      entries.push_back({path, entry.bytes, true, folder.name + entry.name, entry.used});
    } else {
      strange.push_back(path);
    }
  }
}

class Drop {
 public:
  Drop(int store, const DropRules& rules) : store_(store), rules_(rules) {}

  // `named`: null when that is not known.
  Dropped all(const Named* named) {
    for (const StoreEntry& entry : stored(store_, dropped_.strange)) {
      if (entry.is_content && (named == nullptr || !is_meant(entry, *named))) continue;
      if (!entry.is_content && rules_.only != nullptr) continue;
      drop(entry);
    }
    return std::move(dropped_);
  }

 private:
  [[nodiscard]] bool is_meant(const StoreEntry& entry, const Named& named) const {
    const bool asked = rules_.only == nullptr || rules_.only->contains(entry.hash);
    return asked && !named.hashes.contains(entry.hash);
  }

  void drop(const StoreEntry& entry) {
    if (rules_.really && !remove_stored(store_, entry)) {
      if (errno != ENOENT) dropped_.strange.push_back(entry.path);
      return;
    }
    (entry.is_content ? dropped_.contents : dropped_.leftovers) += 1;
    (entry.is_content ? dropped_.bytes : dropped_.leftover_bytes) += entry.bytes;
  }

  int store_;
  const DropRules& rules_;
  Dropped dropped_;
};

}  // namespace

void add_named(int records, const std::string& record, Named& named) {
  add_record(records, record, record, 0, named);
}

Named all_named(int records, const std::set<std::string>& except) {
  Named named;
  const auto entries = process::read_entries(records);
  if (!entries) named.unread.emplace_back(".");
  for (const FolderEntry& entry : entries.value_or(std::vector<FolderEntry>())) {
    const bool counts = entry.name != ".blobs" && entry.name != ".steps" &&
                        !entry.name.starts_with(".gone-") && entry.kind != FileKind::file &&
                        !except.contains(entry.name);
    if (counts) add_named(records, entry.name, named);
  }
  return named;
}

std::vector<StoreEntry> stored(int store, std::vector<std::string>& strange) {
  std::vector<StoreEntry> entries;
  for (const FolderEntry& entry : process::entries_of(store)) {
    if (entry.kind == FileKind::folder && is_hexadecimal(entry.name, 2)) {
      add_stored(store, entry, entries, strange);
    } else if (entry.kind == FileKind::file && entry.name.starts_with("new-")) {
      entries.push_back({entry.name, entry.bytes});
    } else if (entry.name != "lock") {
      strange.push_back(entry.name);
    }
  }
  return entries;
}

bool remove_stored(int store, const StoreEntry& entry) {
  const std::size_t slash = entry.path.find('/');
  if (slash == std::string::npos) return ::unlinkat(store, entry.path.c_str(), 0) == 0;
  const process::UniqueFd folder = process::open_folder(store, entry.path.substr(0, slash));
  return folder && ::unlinkat(folder.get(), entry.path.c_str() + slash + 1, 0) == 0;
}

Dropped drop_unnamed(const std::string& records, const DropRules& rules) {
  const process::UniqueFd all = folder_at(records);
  const process::UniqueFd folder = process::open_folder(all.get(), ".blobs");
  if (!folder) return {};
  Named named = all_named(all.get(), rules.except);
  Dropped dropped = Drop(folder.get(), rules).all(named.unread.empty() ? &named : nullptr);
  dropped.unread = std::move(named.unread);
  return dropped;
}

}  // namespace muster::blobs
