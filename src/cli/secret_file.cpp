// Looks at the file that is open, so that what is checked is what is read.
#include "cli/secret_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shell_word.hpp"
#include "process/unique_fd.hpp"

namespace muster::cli {
namespace {

using base::fail_at;
using base::Fault;
using base::Result;

constexpr std::size_t kSecretMost = 4096;
std::string how_to_make(const std::string& path) {
  return fmt::format("for example: (umask 077; head -c 32 /dev/urandom | base64 > {})",
                     base::shell_word(path));
}

bool others_may(const struct stat& file) {
  const bool by_all = (file.st_mode & (S_IRWXO | S_IWGRP)) != 0;
  const bool by_group = (file.st_mode & S_IRGRP) != 0;
  return by_all || (by_group && file.st_uid != 0);
}

Result<std::string> read_secret(int fd, const base::Place& place) {
  std::string text(kSecretMost + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_at(place, Fault::bad_file, "", "{}", std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace

Result<std::string> read_secret_file(const std::string& path) {
  const base::Place place{path, 0, 0};
  // What blocks, such as a fifo, is no file.
  const process::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return fail_at(place, Fault::bad_file, how_to_make(path), "{}", std::strerror(errno));
  struct stat file {};
  if (::fstat(fd.get(), &file) != 0 || !S_ISREG(file.st_mode)) {
    return fail_at(place, Fault::bad_file, how_to_make(path), "this is not a file");
  }
  if (others_may(file)) {
    return fail_at(place, Fault::bad_file,
                   fmt::format("chmod 600 {}; of a Secret that is mounted in a pod: defaultMode: "
                               "0400",
                               base::shell_word(path)),
                   "others may read or write the secret (mode {:04o})", file.st_mode & 07777);
  }
  auto text = read_secret(fd.get(), place);
  if (!text) return text;
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  if (text->empty() || text->size() > kSecretMost) {
    return fail_at(place, Fault::bad_file, how_to_make(path), "a secret has 1 to {} bytes",
                   kSecretMost);
  }
  return text;
}

}  // namespace muster::cli
