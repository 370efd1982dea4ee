// Renders places and errors as the lines that people see; collects errors.
#include "base/error.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

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

void Errors::add(Error error) {
  std::vector<Error> others = std::exchange(error.also, {});
  const std::size_t untold = std::exchange(error.untold, 0);
  add_one(std::move(error));
  for (Error& other : others) add_one(std::move(other));
  untold_ += untold;
}

void Errors::add_one(Error error) {
  if (std::ranges::find(found_, error) != found_.end()) return;
  if (is_full()) {
    ++untold_;
    return;
  }
  const auto is_alike = [&](const Error& one) { return one.hint == error.hint; };
  const auto last = std::ranges::find_if(found_.rbegin(), found_.rend(), is_alike);
  found_.insert(last == found_.rend() ? found_.end() : last.base(), std::move(error));
}

Error Errors::together() && {
  Error first = std::move(found_.front());
  first.also.assign(std::make_move_iterator(found_.begin() + 1),
                    std::make_move_iterator(found_.end()));
  first.untold = untold_;
  return first;
}

}  // namespace muster::base
