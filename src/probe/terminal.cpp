// Asks the kernel through /dev.
#include "probe/terminal.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/unique_fd.hpp"

namespace muster::probe {

bool has_terminal() {
  return static_cast<bool>(process::UniqueFd(::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)));
}

bool is_silenced() {
  struct stat nothing {};
  if (::stat("/dev/null", &nothing) != 0) return false;
  return std::ranges::all_of(std::array{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}, [&](int fd) {
    struct stat what {};
    return ::fstat(fd, &what) == 0 && S_ISCHR(what.st_mode) && what.st_rdev == nothing.st_rdev;
  });
}

}  // namespace muster::probe
