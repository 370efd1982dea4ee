// Lays options out in two columns.
#include "option/help.hpp"

#include <algorithm>

namespace muster::option {
namespace {

constexpr std::size_t kWidth = 96;
constexpr std::size_t kTextColumn = 31;

// Appends `text`, which starts at `column`, broken between words; later lines are indented.
void append_wrapped(std::string& out, std::string_view text, std::size_t column) {
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    if (column > kTextColumn && column + 1 + blank > kWidth) {
      out += '\n';
      out.append(kTextColumn, ' ');
      column = kTextColumn;
    } else if (column > kTextColumn) {
      out += ' ';
      column += 1;
    }
    out += text.substr(0, blank);
    column += blank;
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  out += '\n';
}

void append_option(std::string& out, const OptionText& option) {
  std::string line = "  " + joined_names(option);
  if (!option.argument.empty()) line += " " + std::string(option.argument);
  if (line.size() + 2 > kTextColumn) {
    out += line + '\n';
    line.clear();
  }
  out += line + std::string(kTextColumn - line.size(), ' ');
  append_wrapped(out, option.help, kTextColumn);
}

}  // namespace

std::string options_help(const OptionTexts& options) {
  std::vector<std::string_view> groups;
  for (const OptionText* option : options) {
    if (std::ranges::find(groups, option->group) == groups.end()) groups.push_back(option->group);
  }
  std::string out;
  for (const std::string_view group : groups) {
    out += fmt::format("\n{}:\n", group);
    for (const OptionText* option : options) {
      if (option->group == group) append_option(out, *option);
    }
  }
  return out;
}

}  // namespace muster::option
