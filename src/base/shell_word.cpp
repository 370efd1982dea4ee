// Which words need quotes.
#include "base/shell_word.hpp"

#include <algorithm>

namespace muster::base {
namespace {

bool is_plain(char c) {
  constexpr std::string_view kOthers = "_-./=:,+@%";
  const bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alnum || kOthers.find(c) != std::string_view::npos;
}

// To zsh and tcsh, "=" at the beginning is not what it seems to be.
bool stands_as_it_is(std::string_view word) {
  return !word.empty() && word.front() != '=' && std::ranges::all_of(word, is_plain);
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (stands_as_it_is(word)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string shell_path(std::string_view path) {
  constexpr std::string_view kHome = "~/";
  if (!path.starts_with(kHome)) return shell_word(path);
  return std::string(kHome) + shell_word(path.substr(kHome.size()));
}

std::string shell_words(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += shell_word(word);
  }
  return text;
}

}  // namespace muster::base
