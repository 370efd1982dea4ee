// Lays options out in two columns.
#include "option/help.hpp"

#include <algorithm>

#include "base/columns.hpp"

namespace muster::option {
namespace {

constexpr std::size_t kTextColumn = 31;
constexpr std::size_t kTextLeast = 40;  // columns of text; below that it stands under the names

// Where continued lines begin: behind the gap of a small table's row, or where the line does.
std::size_t indent_of(std::string_view line) {
  constexpr std::size_t kFirstColumn = 20;  // as wide as those of small tables are
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", begin);
  if (line.starts_with("Usage: ")) return std::string_view("Usage: ").size();
  if (gap > kFirstColumn) return begin;  // or there is none
  return line.find_first_not_of(' ', gap);
}

std::string fold_line(std::string_view line, std::size_t width) {
  // What stood far to the right has to make do with less.
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  if (blanks > width / 2) line.remove_prefix(blanks - width / 4);
  const std::size_t indent = indent_of(line);
  return std::string(line.substr(0, indent)) + base::folded(line.substr(indent), indent, width);
}

// "    muster run -H node1 \\" and "      python3 train.py"
std::string fold_command(std::string_view line, std::size_t width) {
  constexpr std::size_t kIndent = 6;
  const std::string lines = base::folded(line.substr(kIndent - 2), kIndent, width - 2);
  std::string text = "    ";
  for (const char c : lines) text += c == '\n' ? " \\\n" : std::string(1, c);
  return text;
}

// Of a line, or of the one that a text begins with.
bool is_prose(std::string_view line) {
  return !line.empty() && line.front() != ' ' && line.front() != '\n' &&
         !line.starts_with("Usage: ");
}

// Whether a line was broken only because it was full.
bool is_full(std::string_view line) {
  constexpr std::size_t kFull = 70;
  return base::columns_of(line) > kFull;
}

std::string take_line(std::string_view& text) {
  std::string line(text.substr(0, text.find('\n')));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

void append_option(std::string& out, const OptionText& option, std::size_t width) {
  std::string line = "  " + joined_names(option);
  if (!option.argument.empty()) line += " " + std::string(option.argument);
  const std::size_t column = width < kTextColumn + kTextLeast ? 6 : kTextColumn;
  if (line.size() + 2 > column) {
    out += base::folded(line, 4, width) + '\n';
    line.clear();
  }
  out += base::padded(line, column) + base::folded(option.help, column, width) + '\n';
}

std::string options_help(const OptionTexts& options, std::size_t width) {
  std::vector<std::string_view> groups;
  for (const OptionText* option : options) {
    if (std::ranges::find(groups, option->group) == groups.end()) groups.push_back(option->group);
  }
  std::string out;
  for (const std::string_view group : groups) {
    out += '\n' + base::folded(fmt::format("{}:", group), 0, width) + '\n';
    for (const OptionText* option : options) {
      if (option->group == group) append_option(out, *option, width);
    }
  }
  return out;
}

}  // namespace

std::string fitted(std::string_view text, std::size_t width) {
  std::string out;
  while (!text.empty()) {
    std::string line = take_line(text);
    for (bool goes_on = is_prose(line) && is_full(line); goes_on && is_prose(text);) {
      const std::string next = take_line(text);
      goes_on = is_full(next);
      line += ' ' + next;
    }
    const bool is_command = line.starts_with("    ") && !line.starts_with("     ");
    const bool fits = base::columns_of(line) <= width;
    out += (fits ? line : is_command ? fold_command(line, width) : fold_line(line, width)) + '\n';
  }
  return out;
}

std::string help_text(std::string_view head, const OptionTexts& options, std::string_view tail,
                      std::size_t width) {
  return fitted(head, width) + options_help(options, width) + fitted(tail, width);
}

}  // namespace muster::option
