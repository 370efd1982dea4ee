// Lines of a script, and words in them.
#include "batch/script.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace muster::batch {
namespace {

bool is_plain(char c) {
  constexpr std::string_view kOthers = "_-./=:,+@%";
  const bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alnum || kOthers.find(c) != std::string_view::npos;
}

// What a person wrote may have several lines; each is a comment.
std::string comment(std::string_view line) {
  std::string text = "# ";
  for (const char c : line) text += c == '\n' || c == '\r' ? ' ' : c;
  return text + "\n";
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string script_text(const Wish& wish, std::string_view mark,
                        std::vector<std::string> directives) {
  std::string text = "#!/bin/sh\n";
  for (const std::string& line : wish.about) text += comment(line);
  std::ranges::sort(directives);
  for (const std::string& one : directives) text += fmt::format("{} {}\n", mark, one);
  text += "\n";
  for (const std::string& line : wish.setup) text += line + "\n";
  for (const auto& [name, value] : wish.variables) {
    text += fmt::format("export {}={}\n", name, shell_word(value));
  }
  text += "exec";
  for (const std::string& word : wish.command) text += " " + shell_word(word);
  return text + "\n";
}

}  // namespace muster::batch
