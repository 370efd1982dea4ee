// Opens what a descriptor leads to once more.
#include "process/reopened.hpp"

#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::process {

namespace {

bool is_to_read(int file) { return (::fcntl(file, F_GETFL) & O_ACCMODE) == O_RDONLY; }

}  // namespace

bool same_place(int a, int b) {
  struct stat first {};
  struct stat second {};
  if (is_to_read(a) != is_to_read(b)) return false;
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino && first.st_rdev == second.st_rdev;
}

UniqueFd reopened(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return {};
  if (!S_ISFIFO(info.st_mode) && ::isatty(fd) == 0) return {};
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

}  // namespace muster::process
