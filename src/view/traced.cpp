// Puts a stack below the line that says whose it is.
#include "view/traced.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "view/tail.hpp"

namespace muster::view {

std::string traced(std::string_view rank, std::string_view state, std::string_view stack) {
  std::string text = fmt::format("{}: {}", rank, printable(state));
  while (!stack.empty()) {
    const std::size_t end = std::min(stack.find('\n'), stack.size());
    text += "\n    " + printable(stack.substr(0, end));
    stack.remove_prefix(std::min(end + 1, stack.size()));
  }
  return text;
}

}  // namespace muster::view
