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
bool emptied(int file, const struct stat& found, NamedBy whom) {
  if (S_ISREG(found.st_mode)) return found.st_size == 0 || ::ftruncate(file, 0) == 0;
  if (whom == NamedBy::user) return true;
  errno = EINVAL;
  return false;
}

}  // namespace

UniqueFd open_output(const std::string& path, NamedBy whom) {
  if (whom == NamedBy::user) {
    const auto named = descriptor_named(path);
    errno = EBADF;
    if (named && !is_callers_to_write(*named)) return {};
  }
  const int flags = O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const int follows = whom == NamedBy::user ? 0 : O_NOFOLLOW;
  UniqueFd file(::open(path.c_str(), flags | follows, 0666));
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) return {};
  // With a place of its own to write at, one of the two would write over what the other has.
  if (const auto own = printed_to(found, file.get())) {
    return UniqueFd(::fcntl(*own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  }
  return emptied(file.get(), found, whom) ? std::move(file) : UniqueFd();
}

bool is_printed_to(int file) {
  struct stat found {};
  return ::fstat(file, &found) == 0 && printed_to(found, file);
}

bool may_be_replaced(const std::string& path) {
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

}  // namespace muster::process
