// Looks whether the file that was locked is still the one of that name.
#include "cli/lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::cli {

process::UniqueFd lock_file(const std::string& path, Busy busy) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  while (true) {
    process::UniqueFd file(::open(path.c_str(), kFlags, 0600));
    const int how = LOCK_EX | (busy == Busy::fails ? LOCK_NB : 0);
    if (!file || ::flock(file.get(), how) != 0) return {};
    struct stat held {};
    struct stat there {};
    const bool is_there = ::fstat(file.get(), &held) == 0 && ::lstat(path.c_str(), &there) == 0;
    if (is_there && held.st_ino == there.st_ino) return file;
  }
}

}  // namespace muster::cli
