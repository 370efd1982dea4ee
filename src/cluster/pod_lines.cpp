// Splits prefix, time and text.
#include "cluster/pod_lines.hpp"

#include <fmt/format.h>
#include <optional>
#include <utility>

namespace muster::cluster {
namespace {

constexpr std::string_view kPodMark = "[pod/";
constexpr std::size_t kLineMax = std::size_t{1} << 20;

struct PodLine {
  std::string_view from;  // "[pod/NAME/CONTAINER]"
  std::string_view time;  // RFC 3339 in UTC with nine digits: texts are in the order of times
  std::string_view text;
};

std::optional<PodLine> split(std::string_view line) {
  if (!line.starts_with(kPodMark)) return std::nullopt;
  const std::size_t close = line.find("] ");
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(close + 2);
  const std::size_t space = rest.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return PodLine{line.substr(0, close + 1), rest.substr(0, space), rest.substr(space + 1)};
}

}  // namespace

std::string PodLines::take(std::string_view bytes, bool tagged) {
  rest_ += bytes;
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos;
       end = rest_.find('\n', begin)) {
    lines += take_line(std::string_view(rest_).substr(begin, end - begin), tagged);
    begin = end + 1;
  }
  rest_.erase(0, begin);
  if (rest_.size() > kLineMax) lines += take_part(tagged);
  return lines;
}

// As if the line ended here, and another one of the same container and time came next.
std::string PodLines::take_part(bool tagged) {
  std::optional<Part> part = part_;
  std::string line = take_line(rest_, tagged);
  if (!part) {
    const auto found = split(rest_);
    part = {line.empty(), found ? std::string(found->from) : ""};
  }
  part_ = std::move(part);
  rest_.clear();
  return line;
}

std::string PodLines::take_line(std::string_view line, bool tagged) {
  if (const auto part = std::exchange(part_, std::nullopt)) {
    if (part->is_known) return {};
    return tagged ? fmt::format("{} {}\n", part->from, line) : fmt::format("{}\n", line);
  }
  const auto found = split(line);
  if (!found) return {};
  const auto known = last_times_.find(found->from);
  if (known != last_times_.end() && found->time <= known->second) return {};
  last_times_.insert_or_assign(std::string(found->from), std::string(found->time));
  if (!tagged) return fmt::format("{}\n", found->text);
  return fmt::format("{} {}\n", found->from, found->text);
}

}  // namespace muster::cluster
