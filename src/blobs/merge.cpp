// Compares with what was sent; writes nothing through a link.
#include "blobs/merge.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/files.hpp"
#include "process/copy_file.hpp"
#include "snapshot/paths.hpp"

namespace muster::blobs {
namespace {

using base::Fault;
using base::Result;
using snapshot::Entry;
using snapshot::EntryKind;
using snapshot::Manifest;

tl::unexpected<base::Error> cannot_add(std::string_view what, const std::string& path) {
  const int error = errno;
  return base::fail(Fault::output, "", "cannot {} {}: {}", what, path, std::strerror(error));
}

// Makes entries below a record, by descriptors of folders: links on the way are never followed.
class Merger {
 public:
  Merger(std::string record, BlobStore& store, const Manifest& sent, std::string host,
         const GoesOn& goes_on)
      : record_(std::move(record)),
        host_(std::move(host)),
        store_(store),
        goes_on_(goes_on),
        sent_(snapshot::by_path(sent)),
        root_(::open(record_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  Result<Merged> merge(const Manifest& theirs) {
    for (const Entry& entry : theirs.entries) {
      if (is_given_up(goes_on_)) return given_up();
      ++uses_[entry.hash];
    }
    for (const Entry& entry : theirs.entries) {
      --uses_[entry.hash];
      const auto done = add(entry);
      if (is_given_up(goes_on_)) return given_up();
      if (!done) return tl::unexpected(done.error());
    }
    return std::move(merged_);
  }

 private:
  static bool is_ours(const std::string& path) {
    constexpr std::string_view kOurs[] = {"outputs", "code", "checkpoints", "mlruns"};
    return std::ranges::find(kOurs, std::string_view(path).substr(0, path.find('/'))) !=
           std::end(kOurs);
  }

  // "mlruns/0/meta.yaml": each host has described the experiment, and any description will do.
  static bool is_alike(const std::string& path) {
    return path.starts_with("mlruns/") && path.ends_with("/meta.yaml") &&
           std::ranges::count(path, '/') == 2;
  }

  // "outputs/model/a/b" is "outputs/model.conflicts/HOST/a/b", "code/a" is "code.conflicts/HOST/a".
  [[nodiscard]] std::string beside(const std::string& path) const {
    std::size_t end = path.find('/');
    if (path.starts_with("outputs/")) end = path.find('/', end + 1);
    const std::string rest = end == std::string::npos ? "" : path.substr(end);
    return path.substr(0, end) + ".conflicts/" + host_ + rest;
  }

  Result<void> add(const Entry& entry) {
    const bool leads_out =
        entry.kind == EntryKind::link && !snapshot::link_stays(entry.path, entry.target);
    if (!is_ours(entry.path) || leads_out) {
      merged_.refused.push_back(entry.path);
      return {};
    }
    return place(entry, entry.path, true);
  }

  // `first`: it may lie where it was, else only beside that.
  Result<void> place(const Entry& entry, const std::string& path, bool first) {
    const process::UniqueFd folder = enter(snapshot::parent_of(path));
    const std::string name = path.substr(path.rfind('/') + 1);
    if (folder && make(entry, folder.get(), name, path)) return {};
    const bool other = folder ? errno == EEXIST : errno == ENOTDIR || errno == ELOOP;
    if (!other || !first) return cannot_add("write", record_ + "/" + path);
    if (entry.kind == EntryKind::folder) return {};  // its entries find their own place
    if (is_alike(path)) return {};
    merged_.conflicts.push_back(path);
    return place(entry, beside(path), false);
  }

  // The folder of that path below the record, made where it is missing; nothing with errno, which
  // is ENOTDIR or ELOOP where something else lies there.
  process::UniqueFd enter(std::string_view path) const {
    process::UniqueFd folder(::fcntl(root_.get(), F_DUPFD_CLOEXEC, 3));
    while (folder && !path.empty()) {
      const std::size_t end = std::min(path.find('/'), path.size());
      const std::string name(path.substr(0, end));
      if (::mkdirat(folder.get(), name.c_str(), 0700) != 0 && errno != EEXIST) return {};
      folder = open_folder(folder.get(), name);
      path.remove_prefix(std::min(end + 1, path.size()));
    }
    return folder;
  }

  static process::UniqueFd open_folder(int folder, const std::string& name) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    return process::UniqueFd(::openat(folder, name.c_str(), kFlags));
  }

  // False with EEXIST: something else lies there already.
  bool make(const Entry& entry, int folder, const std::string& name, const std::string& path) {
    if (entry.kind == EntryKind::folder) return make_folder(entry, folder, name);
    if (entry.kind == EntryKind::link) return make_link(entry, folder, name, path);
    return make_file(entry, folder, name, path);
  }

  static bool make_folder(const Entry& entry, int folder, const std::string& name) {
    if (::mkdirat(folder, name.c_str(), 0700) == 0) {
      const process::UniqueFd made = open_folder(folder, name);
      return made && ::fchmod(made.get(), entry.mode | 0700) == 0;
    }
    struct stat facts {};
    const bool is_there =
        ::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(facts.st_mode);
    errno = EEXIST;
    return is_there;
  }

  bool make_link(const Entry& entry, int folder, const std::string& name,
                 const std::string& path) const {
    if (::symlinkat(entry.target.c_str(), folder, name.c_str()) == 0) return true;
    const std::string now = target_of(folder, name);
    const auto sent = sent_.find(path);
    const bool is_as_sent = sent != sent_.end() && sent->second.kind == EntryKind::link &&
                            !now.empty() && now == sent->second.target;
    if (is_as_sent && now != entry.target && ::unlinkat(folder, name.c_str(), 0) == 0) {
      return ::symlinkat(entry.target.c_str(), folder, name.c_str()) == 0;
    }
    errno = EEXIST;
    return now == entry.target;
  }

  // Empty: it is no link.
  static std::string target_of(int folder, const std::string& name) {
    std::string target(PATH_MAX, '\0');
    const ssize_t size = ::readlinkat(folder, name.c_str(), target.data(), target.size());
    target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return target;
  }

  bool make_file(const Entry& entry, int folder, const std::string& name, const std::string& path) {
    constexpr int kRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const process::UniqueFd there(::openat(folder, name.c_str(), kRead));
    if (there || errno != ENOENT) {
      const auto hash = hash_of(there.get(), goes_on_);
      if (hash == entry.hash) return true;
      const bool is_unknown = !hash && is_given_up(goes_on_);  // whether it differs
      errno = is_unknown ? ECANCELED : EEXIST;
      if (!hash || !is_original(path, *hash)) return false;
    }
    const std::string fresh = file_with(entry.hash);
    return !fresh.empty() && dress(fresh, entry) &&
           ::renameat(AT_FDCWD, fresh.c_str(), folder, name.c_str()) == 0;
  }

  // A file of that content in the store's own folder, whatever names lie beside the place where it
  // goes: the blob itself for the last entry that needs it, so that the bytes lie there once.
  std::string file_with(const std::string& hash) {
    std::string blob = store_.path_of(hash);
    if (uses_[hash] == 0) return blob;
    const std::string copy = blob + ".copy";
    const process::UniqueFd from = open_regular(blob);
    const process::UniqueFd to = process::made_anew(copy);
    if (!from || !to) return {};
    return process::copy_file(from.get(), to.get(), goes_on_) ? copy : "";
  }

  // Its owner can always read it.
  static bool dress(const std::string& path, const Entry& entry) {
    const process::UniqueFd file = open_regular(path);
    constexpr std::int64_t kSecond = 1'000'000'000;
    const timespec time{entry.modified / kSecond,
                        std::max<std::int64_t>(0, entry.modified % kSecond)};
    const timespec times[] = {time, time};
    return file && ::futimens(file.get(), times) == 0 &&
           ::fchmod(file.get(), entry.mode | 0400) == 0;
  }

  // A file of the code or of the checkpoints that nobody has changed here.
  [[nodiscard]] bool is_original(const std::string& path, const std::string& hash) const {
    const auto sent = sent_.find(path);
    return sent != sent_.end() && sent->second.hash == hash;
  }

  std::string record_;
  std::string host_;
  BlobStore& store_;
  const GoesOn& goes_on_;
  std::map<std::string, Entry> sent_;
  std::map<std::string, std::size_t> uses_;  // of a content, by entries that are still to be made
  process::UniqueFd root_;
  Merged merged_;
};

}  // namespace

Result<Merged> merge_into(const std::string& record, BlobStore& store, const Manifest& theirs,
                          const Manifest& sent, const std::string& host, const GoesOn& goes_on) {
  return Merger(record, store, sent, host, goes_on).merge(theirs);
}

}  // namespace muster::blobs
