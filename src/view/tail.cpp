// Cleans the last words of a rank, and finds the line among them that names the cause.
#include "view/tail.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace muster::view {
namespace {

constexpr char kEscape = '\x1b';

[[nodiscard]] bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

[[nodiscard]] bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
}

// The position after the escape sequence that begins at `at`: "ESC [ parameters letter",
// "ESC ] text BEL", or ESC and one byte.
[[nodiscard]] std::size_t after_escape(std::string_view line, std::size_t at) {
  std::size_t next = at + 1;
  if (next >= line.size()) return line.size();
  if (line[next] == '[') {
    for (++next; next < line.size(); ++next) {
      if (line[next] >= '@' && line[next] <= '~') return next + 1;
    }
    return line.size();
  }
  if (line[next] == ']') return std::min(line.find('\a', next), line.size() - 1) + 1;
  return next + 1;
}

// What a terminal still shows after carriage returns; one at the end of a line changes nothing.
[[nodiscard]] std::string_view after_carriage_return(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  const std::size_t at = line.rfind('\r');
  return at == std::string_view::npos ? line : line.substr(at + 1);
}

void cut(std::string& text, std::size_t max) {
  if (text.size() <= max) return;
  std::size_t keep = max < 3 ? 0 : max - 3;
  while (keep > 0 && continues_character(text[keep])) --keep;
  text.resize(keep);
  text += "...";
}

// Newer torch begins each line of a rank's traceback by "[rank1]: ".
[[nodiscard]] std::string without_rank(const std::string& line) {
  constexpr std::string_view kStem = "[rank";
  if (!line.starts_with(kStem)) return line;
  const std::size_t end = line.find_first_not_of("0123456789", kStem.size());
  constexpr std::string_view kEnd = "]: ";
  if (end == std::string::npos || end == kStem.size()) return line;
  return line.compare(end, kEnd.size(), kEnd) == 0 ? line.substr(end + kEnd.size()) : line;
}

[[nodiscard]] bool indented(std::string_view line) {
  return line.empty() || line.front() == ' ' || line.front() == '\t';
}

// "ValueError: bad shape", "torch.cuda.OutOfMemoryError: ...", "KeyboardInterrupt".
[[nodiscard]] bool names_exception(std::string_view line) {
  const auto end_of_name = std::ranges::find_if_not(line, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  });
  const auto size = static_cast<std::size_t>(end_of_name - line.begin());
  const std::string_view name = line.substr(0, size);
  if (size != line.size() && !line.substr(size).starts_with(": ")) return false;
  constexpr std::array<std::string_view, 4> kEndings{"Error", "Exception", "Interrupt", "Timeout"};
  return std::ranges::any_of(kEndings, [&](auto ending) { return name.ends_with(ending); });
}

// The first line that is not indented after the last frame of a traceback. Deep traces have lost
// their heading: a frame is enough.
[[nodiscard]] std::optional<std::string> python_cause(std::span<const std::string> lines) {
  std::optional<std::string> found;
  bool inside = false;
  for (const std::string& line : lines) {
    if (line.starts_with("Traceback (most recent call last)") || line.starts_with("  File \"")) {
      inside = true;
    } else if (names_exception(line) || (inside && !indented(line))) {
      if (inside || !found) found = line;
      inside = false;
    }
  }
  return found;
}

[[nodiscard]] std::optional<std::string> cpp_cause(std::span<const std::string> lines) {
  constexpr std::string_view kWhat = "  what():  ";
  for (const std::string& line : lines) {
    if (line.starts_with(kWhat)) return line.substr(kWhat.size());
  }
  return std::nullopt;
}

// "F1127 15:47:47.428535   21024 client.h:80] Terminating process": glog's and absl's last words,
// of which the text is what tells.
[[nodiscard]] std::optional<std::string> fatal_log(std::span<const std::string> lines) {
  constexpr std::size_t kDay = 5;  // "F1127"
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (const std::string_view line : lines) {
    const std::size_t end = line.find("] ");
    if (!line.starts_with('F') || end == std::string_view::npos || end < kDay) continue;
    if (!std::ranges::all_of(line.substr(1, kDay - 1), is_digit)) continue;
    const std::string_view place = line.substr(kDay, end - kDay);
    if (end + 2 < line.size() && place.starts_with(' ') &&
        place.find('.') != std::string_view::npos) {
      return std::string(line.substr(end + 2));
    }
  }
  return std::nullopt;
}

// Parts of lines that programs print just before they give up; the more special ones first.
constexpr std::array<std::string_view, 21> kGivingUp{
    "AddressSanitizer",
    "Assertion `",
    "panicked at",
    "panic: ",
    "error while loading shared libraries",
    "version `GLIBC",
    "bad interpreter",
    "Exec format error",
    "$'\\r': ",
    "Too many open files",
    "fork: Resource temporarily unavailable",
    "No space left on device",
    "CUDA error",
    "NCCL error",
    "Cannot allocate memory",
    "Address already in use",
    "Failed to add port to server",
    "command not found",
    "Permission denied",
    "No such file or directory",
    "terminate called",
};

[[nodiscard]] std::optional<std::string> known_words(std::span<const std::string> lines) {
  for (const std::string_view words : kGivingUp) {
    const auto line = std::ranges::find_if(
        lines, [&](const std::string& text) { return text.find(words) != std::string::npos; });
    if (line != lines.end()) return *line;
  }
  return std::nullopt;
}

}  // namespace

std::string printable(std::string_view line, std::size_t max) {
  const std::string_view shown = after_carriage_return(line);
  std::string text;
  for (std::size_t at = 0; at < shown.size() && text.size() <= max;) {
    if (shown[at] == kEscape) {
      at = after_escape(shown, at);
      continue;
    }
    if (shown[at] == '\t') text += ' ';
    if (!is_control(shown[at])) text += shown[at];
    ++at;
  }
  cut(text, max);
  return text;
}

std::optional<std::string> last_error(std::span<const std::string> lines) {
  const auto heading = std::ranges::find(lines, "Last error:");
  if (lines.end() - heading < 2 || (heading + 1)->empty()) return std::nullopt;
  return *(heading + 1);
}

// "/job:jax_worker/replica:0/task:1", or "1" since jaxlib 0.10, until an empty line.
std::string absent_tasks(std::span<const std::string> lines) {
  constexpr std::string_view kHeading = "Some timed out task names:";
  constexpr std::string_view kTask = "/task:";
  constexpr std::size_t kMost = 200;  // bytes; it lists 20 at most
  const auto is_heading = [&](const std::string& line) { return line.ends_with(kHeading); };
  auto line = std::ranges::find_if(lines, is_heading);
  std::string tasks;
  while (line != lines.end() && ++line != lines.end()) {
    std::string name = without_rank(*line);
    if (const std::size_t at = name.rfind(kTask); at != std::string::npos) {
      name.erase(0, at + kTask.size());
    }
    const bool is_number = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    if (name.empty() || !is_number || tasks.size() + name.size() > kMost) break;
    tasks += tasks.empty() ? "" : ", ";
    tasks += name;
  }
  return tasks;
}

std::optional<std::string> telling_line(std::span<const std::string> tail) {
  std::vector<std::string> lines;
  for (const std::string& line : tail) lines.push_back(without_rank(line));
  if (auto line = last_error(lines)) return line;
  if (auto line = python_cause(lines)) return line;
  if (auto line = cpp_cause(lines)) return line;
  if (auto line = fatal_log(lines)) return line;
  return known_words(lines);
}

}  // namespace muster::view
