// One entry after the other.
#include "blobs/snapshot_of.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::blobs {
namespace {

using base::Fault;
using base::Result;
using snapshot::Entry;
using snapshot::EntryKind;

tl::unexpected<base::Error> cannot_lay_out(const std::string& path) {
  const int error = errno;
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
  return base::fail(full ? Fault::output : Fault::bad_file, "", "cannot copy the code to {}: {}",
                    path, std::strerror(error));
}

void set_modified(const std::string& path, std::int64_t modified) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  timespec time{modified / kSecond, modified % kSecond};
  if (time.tv_nsec < 0) time = {time.tv_sec - 1, time.tv_nsec + kSecond};
  const timespec times[] = {time, time};
  (void)::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

Result<void> lay_out_one(BlobStore& store, const Entry& entry, const std::string& path) {
  if (entry.kind == EntryKind::folder) {
    if (::mkdir(path.c_str(), 0700) != 0) return cannot_lay_out(path);
  } else if (entry.kind == EntryKind::link) {
    if (::symlink(entry.target.c_str(), path.c_str()) != 0) return cannot_lay_out(path);
  } else {
    auto copied = store.copy_out(entry.hash, entry.size, path, entry.mode | 0600);
    if (!copied) return copied;
    set_modified(path, entry.modified);
  }
  return {};
}

}  // namespace

Result<snapshot::Manifest> keep_all(BlobStore& store, const snapshot::Manifest& surveyed,
                                    const std::string& folder) {
  snapshot::Manifest manifest;
  for (const Entry& entry : surveyed.entries) {
    if (is_given_up(store.goes_on())) return given_up();
    if (entry.kind != EntryKind::file) {
      manifest.entries.push_back(entry);
      continue;
    }
    auto kept = store.keep(folder + "/" + entry.path);
    if (!kept) return tl::unexpected(std::move(kept.error()));
    if (!*kept) continue;
    Entry& file = manifest.entries.emplace_back(entry);
    file.hash = std::move((*kept)->hash);
    file.size = (*kept)->size;
    file.modified = (*kept)->modified;
  }
  return manifest;
}

Result<void> lay_out(BlobStore& store, const snapshot::Manifest& manifest,
                     const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0) return cannot_lay_out(folder);
  for (const Entry& entry : manifest.entries) {
    if (is_given_up(store.goes_on())) return given_up();
    auto done = lay_out_one(store, entry, folder + "/" + entry.path);
    if (!done) return done;
  }
  for (auto entry = manifest.entries.rbegin(); entry != manifest.entries.rend(); ++entry) {
    if (entry->kind != EntryKind::folder) continue;
    (void)::chmod((folder + "/" + entry->path).c_str(), entry->mode | 0700);
  }
  return {};
}

}  // namespace muster::blobs
