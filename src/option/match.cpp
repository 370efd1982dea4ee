// Compares typed words with the names of a table.
#include "option/match.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "spec/in_quotes.hpp"

namespace muster::option {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using spec::in_quotes;

std::string_view without_value(std::string_view word) { return word.substr(0, word.find('=')); }

std::size_t dashes_of(std::string_view word) {
  return std::min(word.find_first_not_of('-'), word.size());
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_value(const OptionText& option, char first, Glued glued) {
  const bool digit = first >= '0' && first <= '9';
  if (option.takes == Takes::number) return digit;
  return glued == Glued::all && option.takes != Takes::nothing;
}

}  // namespace

bool starts_with_long_dash(std::string_view word) {
  return word.starts_with("\xe2\x80\x93") || word.starts_with("\xe2\x80\x94") ||
         word.starts_with("\xe2\x88\x92");
}

// A name in the form in which equal names are the same text.
std::string OptionMatcher::key(std::string_view name) const {
  const std::size_t dashes = dashes_of(name);
  std::string key(name.substr(grammar_.dashes == Dashes::exact ? 0 : dashes));
  for (char& c : key) {
    if (grammar_.ignore_case) c = lower(c);
    if (grammar_.equal_underscore && c == '_') c = '-';
  }
  return key;
}

bool OptionMatcher::same(std::string_view typed, std::string_view known) const {
  if (grammar_.dashes == Dashes::one_or_two && dashes_of(typed) > 2) return false;
  return key(typed) == key(known);
}

std::optional<Match> OptionMatcher::by_name(std::string_view name) const {
  if (!name.starts_with('-') || dashes_of(name) == name.size()) return std::nullopt;
  for (std::size_t index = 0; index < options_.size(); ++index) {
    for (const std::string_view known : names_of(*options_[index])) {
      if (same(name, known)) return Match{index, name, std::nullopt};
    }
  }
  return std::nullopt;
}

// -n4, -np4, -Hnode1,node2, -xNAME=VALUE: the longest short name in front of a fitting value.
std::optional<Match> OptionMatcher::by_glued(std::string_view word) const {
  if (grammar_.glued == Glued::no || word.starts_with("--")) return std::nullopt;
  for (std::size_t length = std::min<std::size_t>(word.size() - 1, 3); length >= 2; --length) {
    auto match = by_name(word.substr(0, length));
    if (!match || !starts_value(text(match->index), word[length], grammar_.glued)) continue;
    match->value = word.substr(length);
    return match;
  }
  return std::nullopt;
}

Result<std::optional<Match>> OptionMatcher::by_abbreviation(std::string_view name) const {
  std::optional<Match> found;
  std::string all;
  if (!grammar_.abbreviations || !name.starts_with("--") || name.size() < 3) return found;
  const std::string typed = key(name);
  for (std::size_t index = 0; index < options_.size(); ++index) {
    for (const std::string_view known : names_of(*options_[index])) {
      if (!known.starts_with("--") || !key(known).starts_with(typed)) continue;
      all += (all.empty() ? "" : ", ") + std::string(known);
      if (found && found->index != index) {
        return fail(Fault::usage, "write the name in full", "{} may be one of {}", name, all);
      }
      found = Match{index, known, std::nullopt};
    }
  }
  return found;
}

std::string OptionMatcher::instead(std::string_view name) const {
  return grammar_.elsewhere == nullptr ? std::string() : grammar_.elsewhere(name);
}

Result<std::optional<Match>> OptionMatcher::match(std::string_view word) const {
  const std::string_view name = without_value(word);
  Result<std::optional<Match>> found = by_name(name);
  if (!*found) {
    auto glued = instead(name).empty() ? by_glued(word) : std::nullopt;
    if (glued) return glued;
    found = by_abbreviation(name);
  }
  if (!found || !*found || name.size() == word.size()) return found;
  if (!grammar_.equals_sign) {
    return fail(Fault::usage, fmt::format("write {} {}", name, word.substr(name.size() + 1)),
                "{} takes its value as the next word, not after '='", name);
  }
  (*found)->value = word.substr(name.size() + 1);
  return found;
}

bool OptionMatcher::is_name(std::string_view word) const {
  return by_name(without_value(word)).has_value();
}

// Compared in the form of keys, shown as the table has it.
std::optional<Match> OptionMatcher::near(std::string_view word) const {
  std::vector<std::string> keys;
  std::vector<Match> matches;
  for (std::size_t index = 0; index < options_.size(); ++index) {
    for (const std::string_view known : names_of(*options_[index])) {
      keys.push_back(key(known));
      matches.push_back({index, known, std::nullopt});
    }
  }
  const auto nearest = base::nearest(key(without_value(word)), keys);
  if (!nearest) return std::nullopt;
  return matches[static_cast<std::size_t>(std::ranges::find(keys, *nearest) - keys.begin())];
}

base::Error OptionMatcher::unknown(std::string_view word) const {
  const std::string_view name = without_value(word);
  std::string hint = fmt::format("{} {} lists all options", grammar_.command, grammar_.all);
  if (starts_with_long_dash(word)) {
    hint = "this starts with a long dash, as word processors write; type '-'";
  } else if (const std::string other = instead(name); !other.empty()) {
    hint = other;
  } else if (const auto meant = near(word)) {
    hint = fmt::format("did you mean {}?", meant->name);
  }
  return {Fault::usage, "unknown option " + in_quotes(name), hint, {}};
}

}  // namespace muster::option
