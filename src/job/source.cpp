// Searches the lines of a value for a part of it.
#include "job/source.hpp"

#include <algorithm>

namespace muster::job {
namespace {

std::size_t start_of_line(std::string_view source, std::uint32_t line) {
  std::size_t at = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = source.find('\n', at);
    if (end == std::string_view::npos) return source.size();
    at = end + 1;
  }
  return at;
}

// All bytes of a character but its first start with the bits 10.
bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }

std::size_t after_columns(std::string_view source, std::size_t at, std::uint32_t column) {
  while (column > 1 && at < source.size() && source[at] != '\n') {
    do {
      ++at;
    } while (at < source.size() && !starts_character(source[at]));
    --column;
  }
  return at;
}

}  // namespace

Mark mark_of_part(std::string_view source, const Text& value, std::string_view part,
                  std::size_t before) {
  const std::size_t line = start_of_line(source, value.begin.line);
  const std::size_t begin = after_columns(source, line, value.begin.column);
  const std::string_view lines_of_value =
      source.substr(0, start_of_line(source, value.end.line + 1));
  std::size_t found = lines_of_value.find(part, begin);
  for (; before > 0 && found != std::string_view::npos; --before) {
    found = lines_of_value.find(part, found + part.size());
  }
  if (found == std::string_view::npos) return value.begin;
  const std::string_view skipped = source.substr(line, found - line);
  const std::size_t line_start = skipped.rfind('\n') + 1;  // npos + 1 is 0
  const auto lines = std::ranges::count(skipped, '\n');
  const auto columns = std::ranges::count_if(skipped.substr(line_start), starts_character);
  return {value.begin.line + static_cast<std::uint32_t>(lines),
          static_cast<std::uint32_t>(columns + 1), value.begin.file};
}

}  // namespace muster::job
