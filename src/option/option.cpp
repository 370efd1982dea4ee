// Puts the names of an option into words.
#include "option/option.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "base/words.hpp"

namespace muster::option {

std::vector<std::string_view> names_of(const OptionText& option) {
  std::vector<std::string_view> names;
  for (std::string_view rest = option.names; !rest.empty();) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    names.push_back(rest.substr(0, blank));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return names;
}

std::string joined_names(const OptionText& option, std::string_view separator) {
  std::string joined;
  for (const std::string_view name : names_of(option)) {
    if (!joined.empty()) joined += separator;
    joined += name;
  }
  return joined;
}

std::string usage_line(const OptionText& option) {
  std::string line = joined_names(option);
  if (!option.argument.empty()) line += " " + std::string(option.argument);
  return line + ": " + std::string(option.help);
}

std::string near_choice(const OptionText& option, std::string_view value) {
  const std::vector<std::string> choices = base::split(option.traits.choices, " ");
  std::vector<std::string> known;  // "bind" of "bind:0"
  known.reserve(choices.size());
  for (const std::string& choice : choices) known.push_back(choice.substr(0, choice.find(':')));
  while (!value.empty()) {
    const std::string_view word = value.substr(0, value.find_first_of(",:"));
    value.remove_prefix(std::min(word.size() + 1, value.size()));
    if (std::ranges::count(known, word) > 0) continue;
    const auto near = base::nearest(word, known);
    if (!near) continue;
    return fmt::format("did you mean {}?",
                       choices[std::ranges::find(known, *near) - known.begin()]);
  }
  return {};
}

}  // namespace muster::option
