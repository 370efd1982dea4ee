// Asks the kernel to copy what is no hole; reads and writes by hand where it cannot.
#include "process/copy_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/fs.h>
#include <optional>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "process/write_all.hpp"

namespace muster::process {
namespace {

constexpr std::size_t kHoleBlock = 4096;  // of most file systems
constexpr std::size_t kCopyPiece = std::size_t{256} << 10;
constexpr off_t kAskedEach = off_t{8} << 20;  // bytes

struct Extent {
  off_t begin = 0;
  off_t end = 0;
};

// The next bytes that are no hole. A file system that knows no holes calls all of them data.
Extent next_data(int file, off_t at, off_t end) {
  const off_t begin = ::lseek(file, at, SEEK_DATA);
  if (begin < 0) return errno == ENXIO ? Extent{end, end} : Extent{at, end};
  const off_t hole = ::lseek(file, begin, SEEK_HOLE);
  return {std::min(begin, end), hole < 0 ? end : std::min(hole, end)};
}

// Up to where it got; nothing with errno.
std::optional<off_t> copy_by_hand(int from, int to, Extent data) {
  std::vector<char> buffer(kCopyPiece);
  while (data.begin < data.end) {
    const auto left = static_cast<std::size_t>(data.end - data.begin);
    const ssize_t size = ::pread(from, buffer.data(), std::min(left, buffer.size()), data.begin);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) break;
    errno = write_all(to, {buffer.data(), static_cast<std::size_t>(size)}).error;
    if (errno != 0) return std::nullopt;
    data.begin += size;
  }
  return data.begin;
}

// The same. Less than all: the file has become shorter meanwhile.
std::optional<off_t> copy_data(int from, int to, Extent data) {
  if (::lseek(to, data.begin, SEEK_SET) < 0) return std::nullopt;
  bool any = false;
  while (data.begin < data.end) {
    const auto left = static_cast<std::size_t>(data.end - data.begin);
    const ssize_t size = ::copy_file_range(from, &data.begin, to, nullptr, left, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && !any) return copy_by_hand(from, to, data);
    if (size < 0) return std::nullopt;
    if (size == 0) break;
    any = true;
  }
  return data.begin;
}

bool all_zeros(std::string_view bytes) {
  return bytes.front() == '\0' &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

bool clone_file(int from, int to) { return ::ioctl(to, FICLONE, from) == 0; }

bool copy_file(int from, int to, const std::function<bool()>& goes_on) {
  if (clone_file(from, to)) return true;
  struct stat facts {};
  if (::fstat(from, &facts) != 0) return false;
  off_t end = facts.st_size;
  for (off_t at = 0; at < end;) {
    Extent data = next_data(from, at, end);
    if (goes_on) data.end = std::min(data.end, data.begin + kAskedEach);
    errno = ECANCELED;
    if (goes_on && !goes_on()) return false;
    const auto reached = copy_data(from, to, data);
    if (!reached) return false;
    if (*reached < data.end) end = *reached;
    at = data.end;
  }
  return ::ftruncate(to, end) == 0;
}

UniqueFd made_anew(const std::string& path) {
  (void)::unlink(path.c_str());
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

bool copy_file(const std::string& from, const std::string& to, mode_t mode) {
  const UniqueFd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source) return false;
  const UniqueFd copy = made_anew(to);
  if (!copy) return false;
  if (copy_file(source.get(), copy.get()) && ::fchmod(copy.get(), mode) == 0) return true;
  const int error = errno;
  (void)::unlink(to.c_str());
  errno = error;
  return false;
}

bool SparseWriter::add(std::string_view bytes) {
  std::size_t begin = 0;  // of what is to be written
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t in_block = (static_cast<std::size_t>(size_) + at) % kHoleBlock;
    const std::string_view part = bytes.substr(at, kHoleBlock - in_block);
    at += part.size();
    if (!all_zeros(part)) continue;
    const std::size_t end = at - part.size();
    const auto place = static_cast<off_t>(begin);
    if (!write_at(size_ + place, bytes.substr(begin, end - begin))) return false;
    begin = at;
  }
  if (!write_at(size_ + static_cast<off_t>(begin), bytes.substr(begin))) return false;
  size_ += static_cast<off_t>(bytes.size());
  return true;
}

bool SparseWriter::finish() const { return ::ftruncate(file_, size_) == 0; }

bool SparseWriter::write_at(off_t at, std::string_view bytes) const {
  if (bytes.empty()) return true;
  if (::lseek(file_, at, SEEK_SET) < 0) return false;
  errno = write_all(file_, bytes).error;
  return errno == 0;
}

}  // namespace muster::process
