// Takes options with their values off a line of words.
#include "option/reader.hpp"

#include <algorithm>
#include <utility>

#include "spec/in_quotes.hpp"

namespace muster::option {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using spec::in_quotes;

std::string shown(const Typed& typed) {
  std::string text = in_quotes(typed.value);
  if (!typed.second.empty()) text += " " + in_quotes(typed.second);
  return text;
}

}  // namespace

tl::unexpected<base::Error> twice(const Typed& typed) {
  return fail(Fault::usage, "keep one of them", "{} is given twice", typed.option);
}

tl::unexpected<base::Error> contradiction(const Typed& typed, const Typed& before) {
  return fail(Fault::usage, "keep one of them", "{} {} and {} {} cannot be combined", typed.option,
              shown(typed), before.option, shown(before));
}

Result<std::optional<Found>> OptionReader::next() {
  if (at_ >= words_.size() || ended_) return std::nullopt;
  const std::string& word = words_[at_];
  if (word == "--") {
    ended_ = true;
    at_ += 1;
    return std::nullopt;
  }
  if (!word.starts_with('-') && !starts_with_long_dash(word)) return std::nullopt;
  if (word == "-" && grammar_.dash_is_word) return std::nullopt;
  const auto match = matcher_.match(word);
  if (!match) {
    at_ += 1;
    return tl::unexpected(match.error());
  }
  at_ += 1;
  if (!*match) {
    if (word.find('=') == std::string::npos) pass_value(word);
    return tl::unexpected(matcher_.unknown(word));
  }
  return take(**match).map([](const Found& found) { return std::optional<Found>(found); });
}

// Behind an unknown option a word may be its value, or the program, or what stands between options:
// where it is near to one that is known, it is read as that one. Otherwise nothing behind is
// certain.
void OptionReader::pass_value(std::string_view unknown) {
  const bool is_option = at_ < words_.size() && (words_[at_].starts_with('-') || grammar_.anywhere);
  if (at_ == words_.size() || is_option) return;
  const bool is_elsewhere = grammar_.elsewhere != nullptr && !grammar_.elsewhere(unknown).empty();
  const auto meant = is_elsewhere ? std::nullopt : matcher_.near(unknown);
  if (!meant) {
    ended_ = true;
    return;
  }
  const OptionText& option = matcher_.text(meant->index);
  if (option.takes == Takes::nothing || option.traits.arity == Arity::optional) return;
  at_ += 1;
  const bool has_second =
      option.traits.arity == Arity::two ||
      (option.traits.arity == Arity::pair && words_[at_ - 1].find('=') == std::string::npos);
  if (has_second && at_ < words_.size()) at_ += 1;
}

bool OptionReader::pass_word() {
  if (!grammar_.anywhere || ended_ || at_ >= words_.size()) return false;
  at_ += 1;
  return true;
}

Result<Found> OptionReader::take(const Match& match) {
  const auto typed = values_of(match);
  if (!typed) return tl::unexpected(typed.error());
  if (auto once = note(match, *typed); !once) return tl::unexpected(once.error());
  const auto works = is_effective(match);
  if (!works) return tl::unexpected(works.error());
  ended_ = matcher_.text(match.index).traits.ends;
  return Found{match.index, *typed, !*works};
}

Result<Typed> OptionReader::values_of(const Match& match) {
  const OptionText& option = matcher_.text(match.index);
  Typed typed{match.name, match.value.value_or(""), {}};
  const Arity arity = option.traits.arity;
  if (option.takes == Takes::nothing) {
    if (!match.value) return typed;
    return fail(Fault::usage, "write just " + std::string(match.name), "{} takes no value, not {}",
                match.name, in_quotes(*match.value));
  }
  if (arity == Arity::optional) return typed;
  if (!match.value) {
    const auto value = next_word(match);
    if (!value) return tl::unexpected(value.error());
    typed.value = *value;
  }
  const bool whole = arity == Arity::pair && typed.value.find('=') != std::string_view::npos;
  if (arity == Arity::one || whole) return typed;
  if (at_ == words_.size()) {
    return fail(Fault::usage, usage_line(option), "{} needs two values: {}", match.name,
                option.argument);
  }
  typed.second = words_[at_++];
  return typed;
}

Result<std::string_view> OptionReader::next_word(const Match& match) {
  // A known option is no value: `--logs --tag` has forgotten the folder.
  if (at_ == words_.size() || words_[at_] == "--" || matcher_.is_name(words_[at_])) {
    const OptionText& option = matcher_.text(match.index);
    const bool two = option.traits.arity == Arity::two || option.traits.arity == Arity::pair;
    // A shell drops a variable without a value.
    const bool may_be_dropped = option.takes == Takes::file || at_ < words_.size();
    return fail(Fault::usage,
                usage_line(option) + (may_be_dropped ? " Is a variable in its place empty?" : ""),
                "{} needs {}: {}", match.name, two ? "two values" : "a value", option.argument);
  }
  return std::string_view(words_[at_++]);
}

Result<void> OptionReader::note(const Match& match, const Typed& typed) {
  auto& before = given_[match.index];
  const bool same = before && before->value == typed.value && before->second == typed.second;
  const bool may_differ =
      matcher_.text(match.index).traits.repeatable || grammar_.again == Again::last_wins;
  if (!before || may_differ || (same && grammar_.again != Again::refused)) {
    before = typed;
    return {};
  }
  if (same) return twice(typed);
  return contradiction(typed, *before);
}

// Whether the option is to be carried out.
Result<bool> OptionReader::is_effective(const Match& match) {
  const Traits& traits = matcher_.text(match.index).traits;
  const auto without_effect = [&](const table::Support& support) {
    std::string notice = table::told(match.name, support);
    if (std::ranges::find(notices_, notice) == notices_.end()) {
      notices_.push_back(std::move(notice));
    }
    return false;
  };
  if (traits.support.refused()) {
    return fail(Fault::usage, usage_line(matcher_.text(match.index)), "{}",
                table::told(match.name, traits.support));
  }
  if (!traits.support.works()) return without_effect(traits.support);
  const bool late = later_block_ && traits.scope == Scope::job && !traits.ends;
  if (!late || grammar_.late == LateJobOption::taken) return true;
  if (grammar_.late == LateJobOption::no_effect) {
    return without_effect(
        table::no_effect("it is for the whole job; write it before the first ':'"));
  }
  return fail(Fault::usage, "write it before the first ':'", "{} is for the whole job", match.name);
}

}  // namespace muster::option
