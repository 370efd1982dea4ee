// Reads pieces at their places, so that the descriptor may be another one each time.
#include "store/growing_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::store {
namespace {

constexpr std::size_t kPieceMax = std::size_t{256} << 10;      // of one file in one turn
constexpr std::uint64_t kBehindMax = std::uint64_t{64} << 20;  // of one file that is still written

}  // namespace

std::uint64_t GrowingFile::size_of(int file) const {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) return 0;
  return std::min(static_cast<std::uint64_t>(facts.st_size), end_);
}

bool GrowingFile::has_more(int file) const { return read_ < size_of(file); }

void GrowingFile::end(int file) { end_ = size_of(file); }

// The place of the next byte that is in no hole; nothing where the file system knows none.
std::uint64_t GrowingFile::next_data(int file) const {
  struct stat facts {};
  constexpr off_t kBlock = 512;  // bytes, whatever the file system's are
  if (::fstat(file, &facts) != 0 || facts.st_blocks >= facts.st_size / kBlock) return read_;
  const off_t data = ::lseek(file, static_cast<off_t>(read_), SEEK_DATA);
  if (data >= 0) return static_cast<std::uint64_t>(data);
  return errno == ENXIO ? kNoEnd : read_;
}

std::size_t GrowingFile::read(int file, std::size_t most, const Take& take) {
  std::array<char, 65536> bytes;
  std::size_t all = 0;
  while (all < most) {
    const std::uint64_t size = size_of(file);
    const std::uint64_t next = std::min(next_data(file), size);
    if (next > read_) {
      read_ = next;
      take(std::string_view("\0", 1));
      ++all;
    }
    if (read_ >= size || all == most) break;
    const std::size_t wanted = std::min({bytes.size(), most - all, size - read_});
    const ssize_t got = ::pread(file, bytes.data(), wanted, static_cast<off_t>(read_));
    if (got <= 0) break;
    read_ += static_cast<std::uint64_t>(got);
    all += static_cast<std::size_t>(got);
    take({bytes.data(), static_cast<std::size_t>(got)});
  }
  return all;
}

void GrowingFile::begin_at_last(int file, std::size_t lines) {
  constexpr std::uint64_t kBackMax = std::uint64_t{64} << 20;
  std::array<char, 65536> bytes;
  const std::uint64_t size = size_of(file);
  const std::uint64_t first = size - std::min(size, kBackMax);
  bool is_last = true;  // the newline at the very end begins no line
  std::size_t found = 0;
  for (read_ = size; read_ > first && lines > 0;) {
    const std::size_t wanted = std::min<std::uint64_t>(bytes.size(), read_ - first);
    const auto place = static_cast<off_t>(read_ - wanted);
    if (::pread(file, bytes.data(), wanted, place) != static_cast<ssize_t>(wanted)) return;
    for (std::size_t at = wanted; at > 0; --at, --read_) {
      const bool is_end = bytes[at - 1] == '\n' && !is_last;
      is_last = false;
      if (is_end && ++found == lines) return;
    }
  }
}

void GrowingFile::begin_at_line_of(int file, std::uint64_t place) {
  std::array<char, 65536> bytes;
  if (place <= read_) return;
  if (place >= size_of(file)) {  // a last line without an end is old
    read_ = place;
    return;
  }
  const std::size_t wanted = std::min<std::uint64_t>(bytes.size(), place - read_);
  const ssize_t got = ::pread(file, bytes.data(), wanted, static_cast<off_t>(place - wanted));
  const std::string_view before(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t newline = before.rfind('\n');
  const bool has_line = newline != std::string_view::npos || place - wanted == read_;
  read_ = has_line ? place - wanted + newline + 1 : place;  // npos + 1 is 0
}

std::uint64_t GrowingFile::catch_up(int file, std::uint64_t most) {
  const std::uint64_t size = size_of(file);
  if (size <= read_ || size - read_ <= most) return 0;
  const std::uint64_t skipped = size - read_ - most / 2;
  read_ += skipped;
  return skipped;
}

bool GrowingFileLines::read(int file, Allowance& left, std::vector<std::string>& lines) {
  const std::size_t most = std::min(left.bytes, kPieceMax);
  left.bytes -= file_.read(file, most, [&](std::string_view bytes) {
    for (std::string& line : lines_.feed(bytes)) {
      if (!line.empty()) lines.push_back(std::move(line));
    }
  });
  return file_.has_more(file);
}

std::uint64_t GrowingFileLines::catch_up(int file) {
  const std::uint64_t skipped = file_.catch_up(file, kBehindMax);
  if (skipped > 0) lines_.skip();
  return skipped;
}

}  // namespace muster::store
