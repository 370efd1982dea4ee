// Reads and writes through descriptors.
#include "store/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/fresh_file.hpp"
#include "process/unique_fd.hpp"
#include "process/write_all.hpp"

namespace muster::store {
namespace {

constexpr int kToWrite =
    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

process::UniqueFd if_plain(process::UniqueFd file) {
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  return file;
}

// Like mkdir -p for the folders above a path; the one next to it is its owner's alone. Returns why
// the first of them could not be made, an errno; 0: all are there.
int make_parents(const std::string& path) {
  int why = 0;
  const std::size_t last = path.rfind('/');
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const bool made = ::mkdir(path.substr(0, slash).c_str(), slash == last ? 0700 : 0755) == 0;
    if (!made && errno != EEXIST && why == 0) why = errno;
  }
  return why;
}

}  // namespace

bool make_closed_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return true;
  if (errno != ENOENT) return false;
  const int why = make_parents(path);
  if (::mkdir(path.c_str(), 0700) == 0) return true;
  if (errno == ENOENT && why != 0) errno = why;
  return false;
}

bool write_all(int file, std::string_view bytes) {
  errno = process::write_all(file, bytes).error;
  return errno == 0;
}

tl::unexpected<base::Error> cannot_write(base::Fault fault, const std::string& path) {
  const int error = errno;
  return base::fail(fault, "", "cannot write {}: {}", path, std::strerror(error));
}

bool write_file(const std::string& path, std::string_view text) {
  const process::UniqueFd file(::open(path.c_str(), kToWrite, 0600));
  return file && write_all(file.get(), text);
}

bool replace_file(const std::string& path, std::string_view text) {
  process::FreshFile file(path);
  return file && write_all(file.get(), text) && file.take_place();
}

bool put_in_place(const std::string& fresh, const std::string& path, bool is_whole) {
  if (is_whole && ::rename(fresh.c_str(), path.c_str()) == 0) return true;
  const int why = errno;
  (void)::unlink(fresh.c_str());
  errno = why;
  return false;
}

process::UniqueFd open_file(const std::string& path, Links links) {
  const int follows = links == Links::followed ? 0 : O_NOFOLLOW;
  return if_plain(process::UniqueFd(::open(path.c_str(), kToRead | follows)));
}

process::UniqueFd open_below(const std::string& folder, std::string_view path) {
  process::UniqueFd at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (at) {
    const std::size_t slash = path.find('/');
    const std::string name(path.substr(0, slash));
    if (name.empty() || name == "." || name == "..") return {};
    const bool is_last = slash == std::string_view::npos;
    const int flags = is_last ? kToRead : O_PATH | O_DIRECTORY | O_CLOEXEC;
    at = process::UniqueFd(::openat(at.get(), name.c_str(), flags | O_NOFOLLOW));
    if (is_last) return if_plain(std::move(at));
    path.remove_prefix(slash + 1);
  }
  return {};
}

std::optional<std::string> read_file(const std::string& path, std::size_t most, Links links) {
  const process::UniqueFd file = open_file(path, links);
  return file ? read_open_file(file.get(), most) : std::nullopt;
}

std::optional<std::string> read_open_file(int file, std::size_t most) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) return std::nullopt;
  if (static_cast<std::uint64_t>(facts.st_size) > most) return std::nullopt;
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  const ssize_t size = ::read(file, text.data(), text.size());
  if (size < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace muster::store
