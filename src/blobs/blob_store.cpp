// A blob's file is named by its hash, in one of 256 folders.
#include "blobs/blob_store.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/files.hpp"
#include "blobs/sha256.hpp"
#include "process/copy_file.hpp"
#include "process/fresh_file.hpp"
#include "process/ownership.hpp"
#include "process/tree.hpp"

namespace muster::blobs {
namespace {

using base::Fault;
using base::Result;

tl::unexpected<base::Error> failed(std::string_view what, const std::string& path) {
  const int error = errno;
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
  return base::fail(full ? Fault::output : Fault::bad_file, "", "cannot {} {}: {}", what, path,
                    std::strerror(error));
}

tl::unexpected<base::Error> damaged(const std::string& path) {
  return base::fail(Fault::bad_file, "start it again; muster rerun needs --fresh-code then",
                    "{} was damaged, and has been removed", path);
}

std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && nanoseconds(a.st_mtim) == nanoseconds(b.st_mtim) &&
         nanoseconds(a.st_ctim) == nanoseconds(b.st_ctim);
}

// Copies and hashes at once; the hash is that of the copy.
std::optional<std::string> copy_hashed(int from, int to, const GoesOn& goes_on) {
  if (process::clone_file(from, to)) return hash_of(to, goes_on);
  Sha256 hash;
  process::SparseWriter writer(to);
  const bool copied = read_pieces(from, [&](std::string_view bytes) {
    hash.add(bytes);
    return writer.add(bytes) && !is_given_up(goes_on);
  });
  return copied && writer.finish() ? std::optional(hash.take()) : std::nullopt;
}

// A new file under its name, removed again unless it stays.
class NewFile {
 public:
  NewFile(std::string path, std::uint32_t mode)
      : path_(std::move(path)),
        file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)) {}
  ~NewFile() {
    if (file_) ::unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  [[nodiscard]] int get() const { return file_.get(); }
  explicit operator bool() const { return bool(file_); }
  void stay() { file_.reset(); }

 private:
  std::string path_;
  process::UniqueFd file_;
};

std::string folder_name(const std::string& hash) { return hash.substr(0, 2); }
std::string file_name(const std::string& hash) { return hash.substr(2); }

}  // namespace

std::string blobs_of(const std::string& records) { return records + "/.blobs"; }

std::string BlobStore::path_of(const std::string& hash) const {
  return folder_ + "/" + folder_name(hash) + "/" + file_name(hash);
}

process::UniqueFd BlobStore::shelf_of(const std::string& hash) const {
  return process::open_folder(AT_FDCWD, folder_ + "/" + folder_name(hash));
}

std::optional<std::uint64_t> BlobStore::size_of(const std::string& hash) const {
  const process::UniqueFd shelf = shelf_of(hash);
  struct stat facts {};
  const bool is_there =
      shelf && ::fstatat(shelf.get(), file_name(hash).c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
  if (!is_there || !S_ISREG(facts.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(facts.st_size);
}

bool BlobStore::has(const std::string& hash, std::uint64_t size) const {
  return size_of(hash) == size;
}

// The time of access, whatever the file system does with it by itself.
void BlobStore::note_use(const std::string& hash) const {
  const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  const process::UniqueFd shelf = shelf_of(hash);
  if (shelf) (void)::utimensat(shelf.get(), file_name(hash).c_str(), times, AT_SYMLINK_NOFOLLOW);
}

Result<process::UniqueFd> BlobStore::hold() {
  for (std::size_t slash = folder_.find('/', 1); slash != std::string::npos;
       slash = folder_.find('/', slash + 1)) {
    const bool last = folder_.find('/', slash + 1) == std::string::npos;
    (void)::mkdir(folder_.substr(0, slash).c_str(), last ? 0700 : 0755);
  }
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) return failed("make", folder_);
  if (process::is_others_place(folder_)) {  // a folder of theirs may hold what they still need
    const bool is_link = process::is_others_link(folder_);
    return base::fail(Fault::bad_file,
                      fmt::format("{}set MUSTER_RECORDS to a folder of your own",
                                  is_link ? "remove it, or " : ""),
                      "{} is {}another user's", folder_, is_link ? "a link of " : "");
  }
  const std::string path = folder_ + "/lock";
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  process::UniqueFd lock(::open(path.c_str(), kFlags, 0600));
  if (!lock) return failed("open", path);
  while (::flock(lock.get(), LOCK_SH) != 0) {
    if (errno != EINTR) break;  // where there are no locks, nothing is ever removed either
  }
  return lock;
}

process::UniqueFd BlobStore::hold_alone() const {
  if (process::is_others_place(folder_)) return {};
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  process::UniqueFd lock(::open((folder_ + "/lock").c_str(), kFlags));
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return lock;
}

Result<std::string> BlobStore::add(int file) {
  return add_filled([&](int to) { return copy_hashed(file, to, goes_on_); }, "");
}

Result<void> BlobStore::add_from(const std::string& hash,
                                 const std::function<bool(const Take&)>& give) {
  const auto fill = [&](int to) -> std::optional<std::string> {
    Sha256 own;
    process::SparseWriter writer(to);
    bool fits = true;
    const bool given = give([&](std::string_view bytes) {
      own.add(bytes);
      fits = writer.add(bytes);
      return fits;
    });
    if (given && writer.finish()) return own.take();
    if (!given && fits) errno = 0;  // it has ended too early, and nothing is wrong here
    return std::nullopt;
  };
  return add_filled(fill, hash).map([](const std::string&) {});
}

// `wanted`: the only hash that will do; empty: any.
Result<std::string> BlobStore::add_filled(const Fill& fill, const std::string& wanted) {
  process::FreshFile fresh(folder_ + "/new-blob");  // drop_unnamed() knows these
  if (!fresh) return failed("write to", folder_);
  const auto hash = fill(fresh.get());
  if (is_given_up(goes_on_)) return given_up();
  if (!hash && errno != 0) return failed("write to", folder_);
  if (!hash || (!wanted.empty() && *hash != wanted)) {
    return base::fail(Fault::lost, "", "what came over the link is not what was sent");
  }
  const std::string path = path_of(*hash);
  if (::mkdir(path.substr(0, path.rfind('/')).c_str(), 0700) != 0 && errno != EEXIST) {
    return failed("write to", folder_);
  }
  const process::UniqueFd shelf = shelf_of(*hash);
  const bool good =
      shelf && ::fchmod(fresh.get(), 0400) == 0 && fresh.take_place(shelf.get(), file_name(*hash));
  if (!good) return failed("write", path);
  has_grown_ = true;
  return *hash;
}

// What is there already is read, but not written again.
Result<std::optional<Kept>> BlobStore::try_keep(const std::string& path) {
  const process::UniqueFd file = open_regular(path);
  if (!file) {
    if (errno == ENOENT || errno == EINVAL || errno == ELOOP) return std::nullopt;
    return failed("read", path);
  }
  struct stat before {};
  struct stat after {};
  if (::fstat(file.get(), &before) != 0) return failed("read", path);
  auto hash = hash_of(file.get(), goes_on_);
  if (is_given_up(goes_on_)) return given_up();
  if (!hash) return failed("read", path);
  const auto size = static_cast<std::uint64_t>(before.st_size);
  if (!has(*hash, size)) {
    auto added = add(file.get());
    if (!added) return tl::unexpected(added.error());
    hash = std::move(*added);
    trusted_.insert(*hash);
  }
  if (::fstat(file.get(), &after) != 0) return failed("read", path);
  if (!same_file(before, after)) return Kept{};
  return Kept{*hash, size, nanoseconds(before.st_mtim)};
}

Result<std::optional<Kept>> BlobStore::keep(const std::string& file) {
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    auto kept = try_keep(file);
    if (!kept || !*kept || !(*kept)->hash.empty()) return kept;
  }
  return base::fail(Fault::bad_file,
                    "run when nothing writes to it, name it in .amlignore or .gitignore, or run in "
                    "the folder itself: --no-snapshot",
                    "{} changes while it is read", file);
}

Result<void> BlobStore::copy_out(const std::string& hash, std::uint64_t size,
                                 const std::string& path, std::uint32_t mode) {
  const std::string blob = path_of(hash);
  const process::UniqueFd shelf = shelf_of(hash);
  const process::UniqueFd from =
      shelf ? open_regular_at(shelf.get(), file_name(hash)) : process::UniqueFd();
  struct stat facts {};
  if (!from || ::fstat(from.get(), &facts) != 0) return failed("read", blob);
  if (static_cast<std::uint64_t>(facts.st_size) != size) {  // to hash a large hole takes hours
    ::unlinkat(shelf.get(), file_name(hash).c_str(), 0);
    return damaged(blob);
  }
  NewFile to(path, 0600);
  if (!to) return failed("make", path);
  std::optional<std::string> copied;
  if (!trusted_.contains(hash)) {
    copied = copy_hashed(from.get(), to.get(), goes_on_);
  } else if (process::copy_file(from.get(), to.get(), goes_on_)) {
    copied = hash;
  }
  if (is_given_up(goes_on_)) return given_up();
  if (!copied) return failed("write", path);
  if (*copied != hash) {
    ::unlinkat(shelf.get(), file_name(hash).c_str(), 0);
    return damaged(blob);
  }
  if (::fchmod(to.get(), mode) != 0) return failed("write", path);
  to.stay();
  return {};
}

}  // namespace muster::blobs
