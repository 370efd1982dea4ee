// Looks for $NAME in a shell's text, in quotes too: a shell within may be the one that reads it.
#include "job/unset_variables.hpp"

#include <algorithm>

#include "base/words.hpp"

namespace muster::job {
namespace {

bool may_be_in_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool is_of_azure(std::string_view name) {
  return name.starts_with("AZ_BATCH") || name.starts_with("AZUREML_");
}

struct Mention {
  std::string_view name;
  std::string_view word;
  bool reads = false;  // as $NAME or ${NAME}; ${NAME:-...} only names it
};

// `begin` is where the name begins.
Mention mention_at(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view name = text.substr(begin, end - begin);
  if (begin > 0 && text[begin - 1] == '$') {
    return {name, text.substr(begin - 1, name.size() + 1), true};
  }
  const bool is_braced = begin > 1 && text.substr(begin - 2, 2) == "${";
  if (is_braced && end < text.size() && text[end] == '}') {
    return {name, text.substr(begin - 2, name.size() + 3), true};
  }
  return {name, name, false};
}

std::vector<Mention> mentions_in(std::string_view text) {
  std::vector<Mention> found;
  for (std::size_t at = 0; at < text.size();) {
    if (!may_be_in_name(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && may_be_in_name(text[end])) ++end;
    if (is_of_azure(text.substr(at, end - at))) found.push_back(mention_at(text, at, end));
    at = end;
  }
  return found;
}

bool takes_from_a_file(std::string_view text) {
  return std::ranges::any_of(base::split(text, " \t\n;&|()\"'"), [](const std::string& word) {
    return word == "source" || word == "." || word == "eval";
  });
}

std::size_t count_before(std::string_view text, std::string_view word) {
  const auto before = static_cast<std::size_t>(word.data() - text.data());
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at < before; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

std::vector<UnsetVariable> unset_variables(
    std::string_view command, const std::function<bool(std::string_view name)>& is_set) {
  std::vector<UnsetVariable> unset;
  const std::vector<Mention> mentions = mentions_in(command);
  if (mentions.empty() || takes_from_a_file(command)) return unset;
  for (const Mention& one : mentions) {
    const bool is_named = std::ranges::any_of(
        mentions, [&](const Mention& other) { return other.name == one.name && !other.reads; });
    const bool is_told = std::ranges::count(unset, one.name, &UnsetVariable::name) > 0;
    if (!one.reads || is_named || is_told || is_set(one.name)) continue;
    unset.push_back(
        {std::string(one.name), std::string(one.word), count_before(command, one.word)});
  }
  return unset;
}

}  // namespace muster::job
