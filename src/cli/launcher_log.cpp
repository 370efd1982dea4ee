// Tells lines of ranks from others, and prints what is wanted.
#include "cli/launcher_log.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "cli/speak.hpp"
#include "view/record_json.hpp"

namespace muster::cli {
namespace {

// "[3] text", and "[2:3] text" of a world that was spawned. A step's lines begin with its name.
struct TaggedLine {
  std::string_view before;  // "train: ", or nothing
  std::uint32_t world = 1;
  std::uint32_t rank = 0;
  std::string_view text;
};

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return {};
  return number;
}

std::optional<TaggedLine> tagged(std::string_view line) {
  TaggedLine found;
  const std::size_t open = line.find('[');
  const std::size_t close = line.find("] ", open);
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  found.before = line.substr(0, open);
  if (!found.before.empty() && !found.before.ends_with(": ")) return std::nullopt;
  std::string_view inside = line.substr(open + 1, close - open - 1);
  if (const std::size_t colon = inside.find(':'); colon != std::string_view::npos) {
    const auto world = number_in(inside.substr(0, colon));
    if (!world) return std::nullopt;
    found.world = *world;
    inside.remove_prefix(colon + 1);
  }
  const auto rank = number_in(inside);
  if (!rank) return std::nullopt;
  found.rank = *rank;
  found.text = line.substr(close + 2);
  return found;
}

std::string json_line(const TaggedLine& line) {
  view::LogPlace place{line.world, line.rank, "stdout", {}};
  if (!line.before.empty()) place.step = line.before.substr(0, line.before.size() - 2);
  return view::log_line(place, line.text) + "\n";
}

constexpr std::size_t kTimedLineMax = std::size_t{1} << 20;

std::string_view time_of_timed(std::string_view line) {
  return line.substr(0, std::min(line.find(' '), line.size()));
}

std::string_view text_of_timed(std::string_view line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  return line.substr(std::min(blank + 1, line.size()));
}

}  // namespace

void LauncherLog::take(std::string_view bytes) {
  rest_ += bytes;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    take_timed(std::string_view(rest_).substr(begin, end - begin));
  }
  rest_.erase(0, begin);
  if (rest_.size() > kTimedLineMax) take_part();
}

// As if the line ended here, and another one of the same rank and time came next.
void LauncherLog::take_part() {
  std::optional<Part> part = part_;
  if (!part) {
    const std::string_view text = text_of_timed(rest_);
    const auto own = tagged(text);
    part = {time_of_timed(rest_) <= last_time_,
            own ? std::string(text.substr(0, text.size() - own->text.size())) : ""};
  }
  take_timed(rest_);
  part_ = std::move(part);
  rest_.clear();
}

void LauncherLog::take_timed(std::string_view line) {
  if (const auto part = std::exchange(part_, std::nullopt)) {
    if (!part->is_known) print_line(part->tag + std::string(line));
    return;
  }
  const std::string_view time = time_of_timed(line);
  if (time <= last_time_) return;
  last_time_ = time;
  print_line(text_of_timed(line));
}

void LauncherLog::take_plain(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    print_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void LauncherLog::finish() {
  if (!rest_.empty()) take_timed(std::exchange(rest_, {}));
}

void LauncherLog::print_line(std::string_view line) {
  const auto own = tagged(line);
  if (!own) {
    if (style_.both) say(fmt::format("{}\n", line));
    return;
  }
  const bool is_meant = !style_.rank || (own->world == 1 && own->rank == *style_.rank);
  if (!is_meant || code_ != 0) return;
  if (style_.json) {
    code_ = print(json_line(*own));
  } else {
    code_ = print(style_.tags ? fmt::format("{}\n", line)
                              : fmt::format("{}{}\n", own->before, own->text));
  }
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

}  // namespace muster::cli
