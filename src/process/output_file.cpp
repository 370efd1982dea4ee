// Looks at what it has opened before it empties that.
#include "process/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "process/own_streams.hpp"
#include "process/shortage.hpp"

namespace muster::process {
namespace {

// Of stdout and stderr the one that is written to that regular file, too.
std::optional<int> printed_to(const struct stat& found, int file = -1) {
  for (const int own : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat printed {};
    const bool is_same = own != file && ::fstat(own, &printed) == 0 &&
                         printed.st_dev == found.st_dev && printed.st_ino == found.st_ino;
    if (is_same && S_ISREG(found.st_mode)) return own;
  }
  return std::nullopt;
}

// Devices and FIFOs have nothing to empty.
bool emptied(int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return false;
  return !S_ISREG(found.st_mode) || found.st_size == 0 || ::ftruncate(file, 0) == 0;
}

}  // namespace

OpenedOutput open_output_at(int folder, const std::string& name, NamedBy whom) {
  if (whom == NamedBy::user) {
    const auto named = descriptor_named(name);
    errno = EBADF;
    if (named && !is_callers_to_write(*named)) return {};
  }
  constexpr int kFlags = O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  constexpr mode_t kMode = 0666;
  OpenedOutput opened{UniqueFd(::openat(folder, name.c_str(), kFlags | O_EXCL, kMode)), false};
  opened.is_made = static_cast<bool>(opened.file);
  if (opened.is_made || errno != EEXIST) return opened;
  const int follows = whom == NamedBy::user ? 0 : O_NOFOLLOW;
  opened = {UniqueFd(::openat(folder, name.c_str(), kFlags | follows, kMode)), false};
  struct stat found {};
  if (!opened.file || ::fstat(opened.file.get(), &found) != 0) return {};
  // With a place of its own to write at, one of the two would write over what the other has.
  if (const auto own = printed_to(found, opened.file.get())) {
    return {UniqueFd(::fcntl(*own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)), false};
  }
  if (S_ISREG(found.st_mode) || whom == NamedBy::user) return opened;
  opened.file.reset();
  errno = EINVAL;
  return opened;
}

UniqueFd open_output(const std::string& path, NamedBy whom) {
  OpenedOutput opened = open_output_at(AT_FDCWD, path, whom);
  if (!opened.file || opened.is_made || is_printed_to(opened.file.get())) {
    return std::move(opened.file);
  }
  return emptied(opened.file.get()) ? std::move(opened.file) : UniqueFd();
}

bool is_printed_to(int file) {
  struct stat found {};
  return ::fstat(file, &found) == 0 && printed_to(found, file);
}

bool may_be_replaced(const std::string& path) {
  if (descriptor_named(path)) return false;  // one that is closed is not there, either
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return errno == ENOENT;
  return S_ISREG(found.st_mode) && !printed_to(found);
}

const char* output_trouble(int error) {
  if (error == ELOOP) return "it is a link, which is not followed";
  if (error == EINVAL) return "it is not a regular file";
  if (error == ENXIO) return "it is a FIFO or a device that nobody reads";
  if (error == EBADF) return "it names a stream that is closed, or not open for writing";
  return std::strerror(error);
}

std::string output_hint(int error) {
  if (is_shortage(error)) return system_error("", error).hint;
  switch (error) {
    case EBADF:
      return "is that stream open? a shell opens it with, for example, 9>FILE; or name a file";
    case ELOOP:
      return "remove the link, or name the folder that it leads to";
    case ENXIO:
      return "start its reader first, or name another file";
    case EINVAL:
    case EISDIR:
    case ENOTDIR:
    case ETXTBSY:
      return "remove what has that name, or choose another name";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case ENOSPC:
    case EDQUOT:
      return "free some space, or name a folder on another disk";
    case ENOENT:
    case EACCES:
    case EPERM:
    case EROFS:
      return "name a folder in which you may create files";
    default:
      return {};
  }
}

}  // namespace muster::process
