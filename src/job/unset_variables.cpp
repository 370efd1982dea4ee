// Looks for $NAME in a shell's text where it is sure that a shell reads it.
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

// The command of `bash -lc '...'`, of which this is what comes before the quote.
bool is_code_next(std::string_view text) {
  if (text.empty() || (text.back() != ' ' && text.back() != '\t')) return false;
  std::vector<std::string> words = base::split(text, " \t\n;&|()");
  if (words.empty() || !words.back().starts_with('-') || !words.back().ends_with('c')) return false;
  while (!words.empty() && words.back().starts_with('-')) words.pop_back();
  return !words.empty() && words.back().ends_with("sh");
}

// With blanks in place of comments, and of each '$' that the shell does not read: a name behind it
// is one that the command merely mentions. Of the same length.
std::string as_shell_reads(std::string_view text) {
  std::string read(text);
  char quote = 0;
  bool is_code = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool begins =
        at == 0 || std::string_view(" \t\n;&|(").find(text[at - 1]) != std::string_view::npos;
    if (quote == '\'') {
      if (c == quote) quote = 0;
      if (c == '$' && !is_code) read[at] = ' ';
    } else if (c == '\\') {
      if (++at < text.size() && text[at] == '$') read[at] = ' ';
    } else if (c == '"') {
      quote = quote == 0 ? c : '\0';
    } else if (quote == 0 && c == '\'') {
      quote = c;
      is_code = is_code_next(text.substr(0, at));
    } else if (quote == 0 && c == '#' && begins) {
      for (; at < text.size() && text[at] != '\n'; ++at) read[at] = ' ';
    }
  }
  return read;
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

// Or, as `export $(cat .env)` does, from another program. What a heredoc's text means to whom is
// not looked into, either.
bool may_set_others(std::string_view text) {
  const std::vector<std::string> words = base::split(text, " \t\n;&|()\"'");
  const bool takes = std::ranges::any_of(words, [](const std::string& word) {
    return word == "source" || word == "." || word == "eval" || word.ends_with("activate");
  });
  const bool exports = text.find("export $(") != std::string_view::npos ||
                       text.find("export `") != std::string_view::npos;
  return takes || exports || text.find("<<") != std::string_view::npos;
}

std::size_t count_before(std::string_view text, std::string_view word, std::size_t before) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at < before; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

std::vector<UnsetVariable> unset_variables(
    std::string_view command, const std::function<bool(std::string_view name)>& is_set) {
  std::vector<UnsetVariable> unset;
  const std::string read = as_shell_reads(command);
  const std::vector<Mention> mentions = mentions_in(read);
  if (mentions.empty() || may_set_others(read)) return unset;
  for (const Mention& one : mentions) {
    const bool is_named = std::ranges::any_of(
        mentions, [&](const Mention& other) { return other.name == one.name && !other.reads; });
    const bool is_told = std::ranges::count(unset, one.name, &UnsetVariable::name) > 0;
    if (!one.reads || is_named || is_told || is_set(one.name)) continue;
    const auto begin = static_cast<std::size_t>(one.word.data() - read.data());
    unset.push_back(
        {std::string(one.name), std::string(one.word), count_before(command, one.word, begin)});
  }
  return unset;
}

}  // namespace muster::job
