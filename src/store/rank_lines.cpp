// Finds the ranks' files, and reads those that have grown.
#include "store/rank_lines.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "store/files.hpp"

namespace muster::store {
namespace {

constexpr std::string_view kRankFolder = "rank.";  // "rank.3", or "rank.03" of 16
constexpr int kWorldBits = 32;                     // above the rank's
constexpr std::size_t kStreamsMax = 100'000;

std::optional<std::uint32_t> all_digits(std::string_view text) {
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_all = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return is_all ? std::optional(number) : std::nullopt;
}

// A world that was spawned has a folder of its own, called by its number.
bool is_world(std::string_view name) { return all_digits(name).value_or(0) != 0; }

}  // namespace

RankLines::RankLines(std::string folder) : folder_(std::move(folder)), search_(folder_, is_world) {}

bool RankLines::is_there() const { return ::access(folder_.c_str(), F_OK) == 0; }

// "rank.3", or "2/rank.0" of the second world.
void RankLines::note(const std::string& folder) {
  const std::size_t slash = folder.find('/');
  const std::uint64_t world =
      slash == std::string::npos ? 0 : all_digits(folder.substr(0, slash)).value_or(0);
  const std::string_view name = std::string_view(folder).substr(slash + 1);  // npos + 1 is 0
  if (!name.starts_with(kRankFolder)) return;
  const auto rank = all_digits(name.substr(kRankFolder.size()));
  for (const char* stream : {"stdout", "stderr"}) {
    if (!rank || streams_.size() >= kStreamsMax) continue;
    streams_.try_emplace(fmt::format("{}/{}/{}", folder_, folder, stream),
                         Stream{world << kWorldBits | *rank});
  }
}

std::vector<RankLine> RankLines::read_new(Allowance& left) {
  std::vector<RankLine> lines;
  has_more_ = true;
  if (searches_) {
    searches_ = !search_.go_on(left.entries, [this](const std::string& path) { note(path); });
  }
  if (searches_) return lines;
  searches_ = round_.go_on(streams_, left, [&](const std::string& path, Stream& stream) {
    return read(path, stream, left, lines);
  });
  has_more_ = !searches_ || round_.was_behind();
  std::ranges::stable_sort(lines, {}, &RankLine::rank);
  return lines;
}

void RankLines::end() {
  is_over_ = has_more_ = searches_ = true;
  search_.begin();
  round_.begin();
}

bool RankLines::read(const std::string& path, Stream& stream, Allowance& left,
                     std::vector<RankLine>& out) {
  --left.entries;
  struct stat facts {};
  const bool is_new = ::stat(path.c_str(), &facts) == 0 && facts.st_size != stream.size;
  if (!is_new && !is_over_) return false;
  std::vector<std::string> lines;
  bool has_more = false;
  if (const process::UniqueFd file = open_file(path)) {
    if (is_over_ && !std::exchange(stream.has_ended, true)) stream.file.end(file.get());
    if (!is_over_) skipped_ += stream.file.catch_up(file.get());
    has_more = stream.file.read(file.get(), left, lines);
  }
  if (!has_more) stream.size = facts.st_size;
  if (!has_more && is_over_) lines.push_back(stream.file.rest());
  for (std::string& line : lines) out.push_back({stream.rank, std::move(line)});
  return has_more;
}

}  // namespace muster::store
