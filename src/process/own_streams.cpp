// Remembers three facts; follows links as the kernel does, but for the last one below /proc.
#include "process/own_streams.hpp"

#include <array>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace muster::process {
namespace {

namespace fs = std::filesystem;

std::array<bool, STDERR_FILENO + 1>& streams_that_were_closed() {
  static std::array<bool, STDERR_FILENO + 1> were_closed = {};
  return were_closed;
}

std::optional<int> number_of(const std::string& name) {
  int number = -1;
  const char* const end = name.data() + name.size();
  const auto [after, wrong] = std::from_chars(name.data(), end, number);
  const bool is_whole = wrong == std::errc() && after == end && number >= 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

}  // namespace

void fill_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1) continue;
    streams_that_were_closed()[static_cast<std::size_t>(fd)] = true;
    // open() takes the lowest free number, which is this one.
    (void)::open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
}

std::optional<int> descriptor_named(const std::string& path) {
  constexpr int kLinksMax = 40;  // the kernel's own limit
  std::error_code wrong;
  const fs::path own = fs::canonical("/proc/self/fd", wrong);
  if (wrong) return std::nullopt;
  fs::path at = path;
  for (int links = 0; links < kLinksMax; ++links) {
    const fs::path above = at.has_parent_path() ? at.parent_path() : fs::path(".");
    const fs::path folder = fs::canonical(above, wrong);
    if (wrong) return std::nullopt;
    if (folder == own) return number_of(at.filename().string());
    const fs::path to = fs::read_symlink(folder / at.filename(), wrong);
    if (wrong) return std::nullopt;
    at = folder / to;  // `to` itself, if it is absolute
  }
  return std::nullopt;
}

bool is_callers_to_write(int descriptor) {
  const auto stream = static_cast<std::size_t>(descriptor);
  if (stream < streams_that_were_closed().size() && streams_that_were_closed()[stream]) {
    return false;
  }
  const int flags = ::fcntl(descriptor, F_GETFD);
  // Whatever this process opens itself is closed when it executes another program.
  if (flags == -1 || (flags & FD_CLOEXEC) != 0) return false;
  return (::fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

}  // namespace muster::process
