// Finds the ranks' files, and reads those that have grown.
#include "store/rank_lines.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "store/files.hpp"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRankFolder = "rank.";  // "rank.3", or "rank.03" of 16
constexpr int kWorldBits = 32;                     // above the rank's

std::optional<std::uint32_t> all_digits(std::string_view text) {
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_all = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return is_all ? std::optional(number) : std::nullopt;
}

}  // namespace

bool RankLines::is_there() const { return ::access(folder_.c_str(), F_OK) == 0; }

// A world that was spawned has a folder of its own, called by its number.
void RankLines::find(const std::string& below, std::uint64_t world) {
  std::error_code wrong;
  for (fs::directory_iterator at(below, wrong), end; !wrong && at != end; at.increment(wrong)) {
    const std::string name = at->path().filename().string();
    if (const auto other = all_digits(name); other && world == 0) find(at->path(), *other);
    if (!name.starts_with(kRankFolder)) continue;
    const auto rank = all_digits(std::string_view(name).substr(kRankFolder.size()));
    for (const char* stream : {"/stdout", "/stderr"}) {
      if (!rank) continue;
      streams_.try_emplace(at->path().string() + stream, Stream{world << kWorldBits | *rank});
    }
  }
}

std::vector<RankLine> RankLines::read_new(bool is_end) {
  find(folder_, 0);
  std::vector<RankLine> lines;
  for (auto& [path, stream] : streams_) read(path, stream, is_end, lines);
  std::ranges::stable_sort(lines, {}, &RankLine::rank);
  return lines;
}

void RankLines::read(const std::string& path, Stream& stream, bool is_end,
                     std::vector<RankLine>& out) {
  struct stat facts {};
  const bool is_new = ::stat(path.c_str(), &facts) == 0 && facts.st_size != stream.size;
  if (!is_new && !is_end) return;
  stream.size = facts.st_size;
  std::vector<std::string> lines;
  if (const process::UniqueFd file = open_file(path)) lines = stream.file.read_new(file.get());
  if (is_end) lines.push_back(stream.file.rest());
  for (std::string& line : lines) out.push_back({stream.rank, std::move(line)});
}

}  // namespace muster::store
