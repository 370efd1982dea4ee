// nest: folders within each other.
#pragma once

#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "process/unique_fd.hpp"

namespace muster::unit {

// So many, each beside a file; made one by one, since no path is that long.
inline void nest(const std::string& in, int count) {
  process::UniqueFd folder(::open(in.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < count && folder; ++i) {
    (void)::mkdirat(folder.get(), "d", 0700);
    const process::UniqueFd file(
        ::openat(folder.get(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    (void)!::write(file.get(), "text", 4);
    folder = process::UniqueFd(
        ::openat(folder.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  }
}

}  // namespace muster::unit
