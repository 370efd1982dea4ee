// Counts newlines from the end, or from the beginning.
#include "view/last_lines.hpp"

namespace muster::view {

std::string_view last_lines(std::string_view text, std::size_t count) {
  std::size_t begin = text.size();
  if (count == 0 || begin == 0) return text.substr(begin);
  if (text.back() == '\n') --begin;
  for (std::size_t found = 0; begin > 0; --begin) {
    if (text[begin - 1] == '\n' && ++found == count) break;
  }
  return text.substr(begin);
}

std::string_view first_lines(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) {
    const std::size_t newline = text.find('\n', end);
    end = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  return text.substr(0, end);
}

}  // namespace muster::view
