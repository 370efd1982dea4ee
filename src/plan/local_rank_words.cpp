// Replaces a name behind '$'.
#include "plan/local_rank_words.hpp"

#include <algorithm>
#include <string_view>

namespace muster::plan {
namespace {

constexpr std::string_view kName = "local_rank";

bool goes_on(std::string_view text) {
  if (text.empty()) return false;
  const char c = text.front();
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// How many characters behind a '$' are the name; 0: it is another one.
std::size_t name_length(std::string_view rest) {
  if (rest.starts_with("{local_rank}")) return kName.size() + 2;
  const bool whole = rest.starts_with(kName) && !goes_on(rest.substr(kName.size()));
  return whole ? kName.size() : 0;
}

std::string replaced(std::string_view word, const std::string& number) {
  std::string made;
  while (!word.empty()) {
    const std::size_t dollar = std::min(word.find('$'), word.size());
    made += word.substr(0, dollar);
    word.remove_prefix(dollar);
    if (word.empty()) break;
    const std::size_t length = name_length(word.substr(1));
    const bool twice = word.starts_with("$$");
    made += length > 0 ? number : "$";
    word.remove_prefix(1 + (twice ? 1 : length));
  }
  return made;
}

}  // namespace

std::vector<std::string> with_local_rank(std::vector<std::string> command,
                                         const model::WordRange& words, std::uint32_t local_rank) {
  const std::string number = std::to_string(local_rank);
  const std::size_t first = std::min(words.first, command.size());
  const std::size_t end = first + std::min(words.count, command.size() - first);
  for (std::size_t i = first; i < end; ++i) command[i] = replaced(command[i], number);
  return command;
}

}  // namespace muster::plan
