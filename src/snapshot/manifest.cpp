// Manifests to text and back.
#include "snapshot/manifest.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>

#include "snapshot/paths.hpp"

namespace muster::snapshot {
namespace {

constexpr std::string_view kFirstLine = "muster snapshot 1\n";
constexpr std::uint32_t kModeMax = 0777;

// Takes words off the front of a line.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  std::string_view word() {
    const std::size_t end = std::min(text_.find(' '), text_.size());
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return word;
  }

  template <class Number>
  std::optional<Number> number(int base = 10) {
    const std::string_view text = word();
    Number number = 0;
    const char* const end = text.data() + text.size();
    const auto [after, wrong] = std::from_chars(text.data(), end, number, base);
    if (text.empty() || wrong != std::errc() || after != end) return std::nullopt;
    return number;
  }

  // The next so many bytes, and the blank after them.
  std::optional<std::string_view> bytes(std::size_t count) {
    if (count >= text_.size() || text_[count] != ' ') return std::nullopt;
    const std::string_view taken = text_.substr(0, count);
    text_.remove_prefix(count + 1);
    return taken;
  }

  [[nodiscard]] std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

std::optional<Entry> file_of(Line line) {
  const auto mode = line.number<std::uint32_t>(8);
  const auto size = line.number<std::uint64_t>();
  const auto modified = line.number<std::int64_t>();
  const std::string_view hash = line.word();
  if (!mode || *mode > kModeMax || !size || !modified || !is_hash(hash)) return std::nullopt;
  return Entry{EntryKind::file, std::string(line.rest()), *mode, *size,
               *modified,       std::string(hash)};
}

std::optional<Entry> folder_of(Line line) {
  const auto mode = line.number<std::uint32_t>(8);
  if (!mode || *mode > kModeMax) return std::nullopt;
  return Entry{EntryKind::folder, std::string(line.rest()), *mode};
}

std::optional<Entry> link_of(Line line) {
  const auto length = line.number<std::size_t>();
  const auto target = length ? line.bytes(*length) : std::nullopt;
  if (!target || target->empty() || target->size() > kPathMax || !is_plain(*target)) {
    return std::nullopt;
  }
  Entry entry{EntryKind::link, std::string(line.rest())};
  entry.target = *target;
  return entry;
}

std::optional<Entry> entry_of(std::string_view text) {
  Line line(text);
  const std::string_view kind = line.word();
  auto entry = kind == "f"   ? file_of(line)
               : kind == "d" ? folder_of(line)
               : kind == "l" ? link_of(line)
                             : std::nullopt;
  if (!entry || !is_inside(entry->path)) return std::nullopt;
  return entry;
}

// Reads line by line; knows the folders above what comes next.
class ManifestReader {
 public:
  base::Result<Manifest> read(std::string_view text) {
    if (text.size() > kManifestMax || !text.starts_with(kFirstLine)) return wrong();
    text.remove_prefix(kFirstLine.size());
    while (!text.empty()) {
      ++line_;
      const std::size_t end = text.find('\n');
      auto entry = end == std::string_view::npos ? std::nullopt : entry_of(text.substr(0, end));
      if (!entry || !fits(*entry)) return wrong();
      if (entry->kind == EntryKind::folder) folders_.insert(entry->path);
      manifest_.entries.push_back(std::move(*entry));
      text.remove_prefix(end + 1);
    }
    return std::move(manifest_);
  }

 private:
  [[nodiscard]] bool fits(const Entry& entry) const {
    const auto& entries = manifest_.entries;
    if (entries.size() == kEntriesMax) return false;
    if (!entries.empty() && entries.back().path >= entry.path) return false;
    const std::string_view parent = parent_of(entry.path);
    return parent.empty() || folders_.contains(parent);
  }

  [[nodiscard]] tl::unexpected<base::Error> wrong() const {
    return base::fail(base::Fault::bad_file, "", "line {} of the snapshot makes no sense", line_);
  }

  Manifest manifest_;
  std::set<std::string, std::less<>> folders_;
  std::size_t line_ = 1;
};

void add_line(std::string& text, const Entry& entry) {
  const auto out = std::back_inserter(text);
  switch (entry.kind) {
    case EntryKind::folder:
      fmt::format_to(out, "d {:o} {}\n", entry.mode, entry.path);
      return;
    case EntryKind::file:
      fmt::format_to(out, "f {:o} {} {} {} {}\n", entry.mode, entry.size, entry.modified,
                     entry.hash, entry.path);
      return;
    case EntryKind::link:
      fmt::format_to(out, "l {} {} {}\n", entry.target.size(), entry.target, entry.path);
      return;
  }
}

}  // namespace

bool is_hash(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Extent extent_of(const Manifest& manifest) {
  Extent extent;
  for (const Entry& entry : manifest.entries) {
    if (entry.kind != EntryKind::file) continue;
    ++extent.files;
    extent.bytes += entry.size;
  }
  return extent;
}

std::map<std::string, Entry> by_path(const Manifest& manifest) {
  std::map<std::string, Entry> entries;
  for (const Entry& entry : manifest.entries) entries[entry.path] = entry;
  return entries;
}

void add_folder(Manifest& manifest, const std::string& name) {
  const auto at = std::ranges::lower_bound(manifest.entries, name, {}, &Entry::path);
  if (at != manifest.entries.end() && at->path == name) return;
  manifest.entries.insert(at, {.kind = EntryKind::folder, .path = name, .mode = 0755});
}

std::string manifest_text(const Manifest& manifest) {
  std::string text(kFirstLine);
  for (const Entry& entry : manifest.entries) add_line(text, entry);
  return text;
}

base::Result<Manifest> read_manifest(std::string_view text) { return ManifestReader().read(text); }

}  // namespace muster::snapshot
