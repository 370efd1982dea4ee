// Locks through fcntl.
#include "store/lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "process/signal_mask.hpp"

namespace muster::store {
namespace {

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

struct flock one_byte(short type, std::int64_t byte) {
  struct flock lock = whole_file(type);
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

bool take(int file, struct flock lock) { return ::fcntl(file, F_SETLK, &lock) == 0; }

process::UniqueFd open_lock(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  return process::UniqueFd(::open(path.c_str(), kFlags, 0600));
}

std::optional<std::int32_t> holder(int file, struct flock lock) {
  if (::fcntl(file, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

}  // namespace

bool take_lock(int file) { return take(file, whole_file(F_WRLCK)); }
std::optional<std::int32_t> holder_of(int file) { return holder(file, whole_file(F_RDLCK)); }

bool take_byte(int file, std::int64_t byte) { return take(file, one_byte(F_WRLCK, byte)); }
std::optional<std::int32_t> holder_of_byte(int file, std::int64_t byte) {
  return holder(file, one_byte(F_RDLCK, byte));
}

void wait_for_lock(int file) {
  struct flock lock = whole_file(F_RDLCK);
  while (::fcntl(file, F_SETLKW, &lock) != 0 && errno == EINTR) {
  }
  lock = whole_file(F_UNLCK);
  ::fcntl(file, F_SETLK, &lock);
}

process::UniqueFd lock_file(const std::string& path) {
  process::UniqueFd file = open_lock(path);
  struct flock lock = whole_file(F_WRLCK);
  while (file && ::fcntl(file.get(), F_SETLKW, &lock) != 0 && errno == EINTR) {
  }
  return file;
}

process::UniqueFd lock_file(const std::string& path, const std::function<bool()>& goes_on) {
  constexpr base::Duration kLook{20};  // the kernel would tell nobody that a signal waits
  process::UniqueFd file = open_lock(path);
  while (file && !take_lock(file.get()) && (errno == EAGAIN || errno == EACCES)) {
    if (goes_on()) {
      process::rest(kLook);
      continue;
    }
    errno = ECANCELED;
    return {};
  }
  return file;
}

}  // namespace muster::store
