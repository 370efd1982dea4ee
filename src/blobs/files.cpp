// Descriptors in, bytes out.
#include "blobs/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "blobs/sha256.hpp"
#include "process/write_all.hpp"

namespace muster::blobs {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;
constexpr off_t kNoSizeMax = off_t{64} << 20;  // of a file that says it has none, as those of /proc

}  // namespace

process::UniqueFd open_regular(const std::string& path) { return open_regular_at(AT_FDCWD, path); }

process::UniqueFd open_regular_at(int folder, const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  process::UniqueFd file(::openat(folder, path.c_str(), kFlags));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0) return {};
  if (S_ISREG(facts.st_mode)) return file;
  errno = EINVAL;
  return {};
}

std::optional<std::string> read_whole(const std::string& path, std::size_t most) {
  return read_whole_at(AT_FDCWD, path, most);
}

std::optional<std::string> read_whole_at(int folder, const std::string& name, std::size_t most) {
  const process::UniqueFd file = open_regular_at(folder, name);
  std::string text;
  const bool read = file && read_pieces(file.get(), [&](std::string_view piece) {
                      text += piece;
                      return text.size() <= most;
                    });
  return read ? std::optional(std::move(text)) : std::nullopt;
}

bool read_pieces(int file, const std::function<bool(std::string_view)>& take) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) return false;
  std::vector<char> buffer(kPiece);
  for (off_t at = 0, end = facts.st_size > 0 ? facts.st_size : kNoSizeMax; at < end;) {
    const auto wanted = std::min(static_cast<off_t>(buffer.size()), end - at);
    const ssize_t size = ::pread(file, buffer.data(), static_cast<std::size_t>(wanted), at);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    at += size;
    if (!take({buffer.data(), static_cast<std::size_t>(size)})) return false;
  }
  return true;
}

std::optional<std::string> hash_of(int file, const GoesOn& goes_on) {
  Sha256 hash;
  const bool read = read_pieces(file, [&](std::string_view bytes) {
    hash.add(bytes);
    return !is_given_up(goes_on);
  });
  return read ? std::optional(hash.take()) : std::nullopt;
}

std::optional<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? std::optional<std::string>(real.get()) : std::nullopt;
}

bool read_stream(int file, const std::function<bool(std::string_view)>& take) {
  std::vector<char> buffer(kPiece);
  while (true) {
    const ssize_t size = ::read(file, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    if (!take({buffer.data(), static_cast<std::size_t>(size)})) return false;
  }
}

bool send_file(int from, int to, const GoesOn& goes_on) {
  return read_pieces(from, [&](std::string_view bytes) {
    errno = process::write_all(to, bytes).error;
    if (errno == 0 && is_given_up(goes_on)) errno = ECANCELED;
    return errno == 0;
  });
}

}  // namespace muster::blobs
