// Renders places and errors as the one line that people see.
#include "base/error.hpp"

namespace muster::base {

std::string to_string(const Place& place) {
  if (place.line == 0) return place.source;
  if (place.column == 0) return fmt::format("{}:{}", place.source, place.line);
  return fmt::format("{}:{}:{}", place.source, place.line, place.column);
}

std::string to_string(const Error& error) {
  std::string text = to_string(error.place);
  if (!text.empty()) text += ": ";
  text += error.what;
  if (!error.hint.empty()) text += "\n  hint: " + error.hint;
  return text;
}

}  // namespace muster::base
