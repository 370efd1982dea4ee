// Header, manifest, contents.
#include "blobs/parcel.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "blobs/files.hpp"
#include "process/copy_file.hpp"
#include "process/write_all.hpp"

namespace muster::blobs {
namespace {

using base::Fault;
using base::Result;

constexpr std::string_view kMagic = "muster parcel 1 ";
constexpr std::size_t kLineMax = 200;

tl::unexpected<base::Error> broken() {
  return base::fail(Fault::lost, "", "what came over the link is not whole");
}

tl::unexpected<base::Error> unasked() {
  return base::fail(Fault::lost, "", "what came over the link is more than was asked for");
}

tl::unexpected<base::Error> cannot_write(const std::string& path) {
  const int error = errno;
  return base::fail(Fault::output, "", "cannot write to {}: {}", path, std::strerror(error));
}

// Where a parcel goes: through a pipe as it is, into an empty file without what is only zeros.
class Destination {
 public:
  explicit Destination(int to) : to_(to), sparse_(to) {
    struct stat facts {};
    is_file_ = ::fstat(to, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == 0;
  }

  // False with errno.
  bool add(std::string_view bytes) {
    if (is_file_) return sparse_.add(bytes);
    errno = process::write_all(to_, bytes).error;
    return errno == 0;
  }
  [[nodiscard]] bool finish() const { return !is_file_ || sparse_.finish(); }

 private:
  int to_;
  process::SparseWriter sparse_;
  bool is_file_ = false;
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [after, wrong] = std::from_chars(text.data(), end, value);
  if (text.empty() || wrong != std::errc() || after != end) return std::nullopt;
  return value;
}

// "a b" into its two parts.
std::optional<std::pair<std::string_view, std::uint64_t>> word_and_number(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto value = number(line.substr(blank + 1));
  if (!value) return std::nullopt;
  return std::pair(line.substr(0, blank), *value);
}

// Reads a stream in pieces, and takes lines and bytes off it.
class Stream {
 public:
  Stream(int from, const GoesOn& goes_on)
      : from_(from), goes_on_(goes_on), buffer_(std::size_t{256} << 10) {}

  std::optional<std::string> line() {
    std::string text;
    while (text.size() < kLineMax) {
      const std::string_view ready = some(1);
      if (ready.empty()) return std::nullopt;
      begin_ += 1;
      if (ready.front() == '\n') return text;
      text += ready.front();
    }
    return std::nullopt;
  }

  bool is_at_end() { return some(1).empty(); }

  // Hands on exactly this many bytes; false: the stream ends first, `take` refuses them, or reading
  // is given up.
  bool bytes(std::uint64_t count, const std::function<bool(std::string_view)>& take) {
    while (count > 0) {
      const std::string_view ready = some(count);
      if (ready.empty() || is_given_up(goes_on_) || !take(ready)) return false;
      begin_ += ready.size();
      count -= ready.size();
    }
    return true;
  }

 private:
  std::string_view some(std::uint64_t most) {
    if (begin_ == end_) {
      ssize_t size = 0;
      do {
        size = ::read(from_, buffer_.data(), buffer_.size());
      } while (size < 0 && errno == EINTR);
      begin_ = 0;
      end_ = size > 0 ? static_cast<std::size_t>(size) : 0;
    }
    const std::size_t ready = end_ - begin_;
    return {buffer_.data() + begin_,
            static_cast<std::size_t>(std::min<std::uint64_t>(ready, most))};
  }

  int from_;
  const GoesOn& goes_on_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// One of those that the manifest names and that have not come yet.
Result<void> read_content(Stream& stream, Contents& left, BlobStore& store) {
  const auto line = stream.line();
  const auto told = line ? word_and_number(*line) : std::nullopt;
  if (!told || !snapshot::is_hash(told->first)) return broken();
  const auto wanted = left.find(std::string(told->first));
  if (wanted == left.end() || wanted->second != told->second) return unasked();
  left.erase(wanted);
  return store.add_from(std::string(told->first), [&](const BlobStore::Take& take) {
    return stream.bytes(told->second, take);
  });
}

}  // namespace

Contents contents_of(const snapshot::Manifest& manifest) {
  Contents contents;
  for (const snapshot::Entry& entry : manifest.entries) {
    if (entry.kind == snapshot::EntryKind::file) contents[entry.hash] = entry.size;
  }
  return contents;
}

Result<void> write_parcel(int to, const std::string& name, const snapshot::Manifest& manifest,
                          const Contents& contents, const PlaceOf& place, const GoesOn& goes_on) {
  const std::string text = manifest_text(manifest);
  Destination parcel(to);
  if (!parcel.add(fmt::format("{}{} {}\n", kMagic, text.size(), contents.size())) ||
      !parcel.add(text)) {
    return cannot_write(name);
  }
  for (const auto& [hash, size] : contents) {
    const process::UniqueFd blob = open_regular(place(hash));
    struct stat facts {};
    if (!blob || ::fstat(blob.get(), &facts) != 0 ||
        static_cast<std::uint64_t>(facts.st_size) != size) {
      return base::fail(Fault::bad_file, "", "{} has gone, or changes", place(hash));
    }
    const auto take = [&](std::string_view bytes) {
      return parcel.add(bytes) && !is_given_up(goes_on);
    };
    if (!parcel.add(fmt::format("{} {}\n", hash, size)) || !read_pieces(blob.get(), take)) {
      if (is_given_up(goes_on)) return given_up();
      return cannot_write(name);
    }
  }
  if (!parcel.finish()) return cannot_write(name);
  return {};
}

Result<snapshot::Manifest> read_parcel(int from, BlobStore& store, const GoesOn& goes_on) {
  Stream stream(from, goes_on);
  const auto first = stream.line();
  if (!first || !first->starts_with(kMagic)) return broken();
  const std::string_view rest = std::string_view(*first).substr(kMagic.size());
  const std::size_t blank = std::min(rest.find(' '), rest.size());
  const auto size = number(rest.substr(0, blank));
  const auto count = number(rest.substr(std::min(blank + 1, rest.size())));
  if (!size || !count || *size > snapshot::kManifestMax) return broken();
  std::string text;
  const auto add = [&](std::string_view bytes) {
    text += bytes;
    return true;
  };
  if (!stream.bytes(*size, add)) return broken();
  auto manifest = snapshot::read_manifest(text);
  if (!manifest) return manifest;
  Contents left = contents_of(*manifest);
  for (std::uint64_t i = 0; i < *count; ++i) {
    auto read = read_content(stream, left, store);
    if (is_given_up(goes_on)) return given_up();
    if (!read) return tl::unexpected(std::move(read.error()));
  }
  if (!stream.is_at_end()) return unasked();
  return manifest;
}

}  // namespace muster::blobs
