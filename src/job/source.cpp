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

}  // namespace

Mark mark_of_part(std::string_view source, const Text& value, std::string_view part) {
  const std::size_t begin = start_of_line(source, value.begin.line);
  const std::size_t after = start_of_line(source, value.end.line + 1);
  const std::size_t found = source.substr(0, after).find(part, begin);
  if (found == std::string_view::npos) return value.begin;
  const std::string_view before = source.substr(begin, found - begin);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto lines = std::ranges::count(before, '\n');
  const auto columns = std::ranges::count_if(before.substr(line_start), starts_character);
  return {value.begin.line + static_cast<std::uint32_t>(lines),
          static_cast<std::uint32_t>(columns + 1), value.begin.file};
}

}  // namespace muster::job
