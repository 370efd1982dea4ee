// Reads and writes through descriptors.
#include "store/files.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/unique_fd.hpp"

namespace muster::store {

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool write_file(const std::string& path, std::string_view text) {
  const process::UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  return file && write_all(file.get(), text);
}

bool replace_file(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  return write_file(fresh, text) && ::rename(fresh.c_str(), path.c_str()) == 0;
}

std::optional<std::string> read_file(const std::string& path) {
  const process::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace muster::store
