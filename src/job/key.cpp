// Judges single values and puts them where they belong.
#include "job/key.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "job/number.hpp"
#include "job/old_names.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

using spec::in_quotes;

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::uint32_t> count_of(std::string_view text) {
  std::uint32_t number = 0;
  if (!is_digits(text)) return std::nullopt;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

bool is_yaml_boolean(std::string_view text) {
  constexpr std::string_view kWords[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
  return std::ranges::find(kWords, text) != std::end(kWords);
}

// Kubernetes' quantities: a number, then nothing, m, or a power of 1000 or 1024; docker's b too.
bool is_quantity(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  constexpr std::string_view kUnits[] = {"",  "m",  "b",  "k",  "K",  "M",  "G",  "T",
                                         "g", "Ki", "Mi", "Gi", "Ti", "KB", "MB", "GB"};
  return number_of(text.substr(0, digits)).has_value() &&
         std::ranges::find(kUnits, text.substr(digits)) != std::end(kUnits);
}

bool is_integer_from(std::int32_t lowest, std::string_view text) {
  std::int32_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end && number >= lowest;
}

// As mini_batches.py takes it; what an expression gives is known later.
bool is_batch(std::string_view text) {
  if (text.find("${{") != std::string_view::npos) return true;
  const std::string low = base::lower(text);
  const std::size_t digits = std::min(low.find_first_not_of("0123456789."), low.size());
  const std::size_t unit = std::min(low.find_first_not_of(' ', digits), low.size());
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1}, {"b", 1}, {"kb", 1 << 10}, {"mb", 1 << 20}, {"gb", 1 << 30}};
  const auto* const found = std::ranges::find(kUnits, std::string_view(low).substr(unit),
                                              &std::pair<std::string_view, double>::first);
  const auto number = number_of(std::string_view(low).substr(0, digits));
  const bool is_whole = digits > 0 && low.front() != '.' && low[digits - 1] != '.';
  return is_whole && number && found != std::end(kUnits) && *number * found->second >= 1;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> choices_of(const KeyText& key) {
  return base::split(key.traits.choices, " ");
}

// YAML 1.1 took yes and on for true: which of the two a writer thinks of, nobody can tell.
std::string boolean_hint(std::string_view text) {
  constexpr std::string_view kYes[] = {"yes", "Yes", "YES", "on", "On", "ON", "y", "1"};
  constexpr std::string_view kNo[] = {"no", "No", "NO", "off", "Off", "OFF", "n", "0"};
  if (std::ranges::find(kYes, text) != std::end(kYes)) return "write true";
  if (std::ranges::find(kNo, text) != std::end(kNo)) return "write false";
  return "";
}

bool fits(const KeyText& key, const Node& node) {
  switch (key.form) {
    case Form::none:
      return false;
    case Form::text:
    case Form::anything:
      return true;
    case Form::count: {
      const auto number = count_of(node.text);
      return !node.quoted && number && *number >= key.traits.least && *number <= key.traits.most;
    }
    case Form::number: {
      const auto number = number_of(node.text);
      return !node.quoted && number && (!key.traits.positive || *number > 0);
    }
    case Form::integer:
      return !node.quoted && is_integer_from(key.traits.lowest, node.text);
    case Form::batch:
      return is_batch(node.text);
    case Form::boolean:
      return !node.quoted && is_yaml_boolean(node.text);
    case Form::quantity:
      return is_quantity(node.text);
    case Form::choice: {
      const auto words = choices_of(key);
      const std::string word = key.traits.any_case ? base::lower(node.text) : node.text;
      return std::ranges::find(words, word) != words.end();
    }
  }
  return false;
}

std::string hint_for(const KeyText& key, const Node& node) {
  if (key.form == Form::boolean) return boolean_hint(node.text);
  if (key.form == Form::choice) {
    const std::string now = type_written_now(node.text, key.traits.choices);
    return now.empty() ? base::did_you_mean(node.text, choices_of(key)) : now;
  }
  const bool counts =
      key.form == Form::count || key.form == Form::number || key.form == Form::integer;
  const bool only_quotes = node.quoted && counts;
  if (only_quotes && number_of(node.text)) return "remove the quotes: they make it text";
  return "";
}

// What Azure ML's two SDKs call the same.
constexpr std::pair<std::string_view, std::string_view> kSameCounts[] = {
    {"process_count_per_node", "process_count_per_instance"},
    {"process_count_per_instance", "process_count_per_node"},
    {"node_count", "instance_count"},
    {"instance_count", "node_count"},
};

}  // namespace

std::string words_of(const KeyText& key) {
  switch (key.form) {
    case Form::none:
    case Form::anything:
      return "a map";
    case Form::text:
      return "text";
    case Form::count:
      return fmt::format("a whole number from {} to {}", key.traits.least, key.traits.most);
    case Form::number:
      return key.traits.positive ? "a number above 0" : "a number";
    case Form::integer:
      return fmt::format("a whole number from {} to {}", key.traits.lowest, kIntegerMax);
    case Form::batch:
      return "a number of files, or of bytes such as 10kb";
    case Form::boolean:
      return "true or false";
    case Form::quantity:
      return "a number with an optional unit, such as 4, 500m or 2Gi";
    case Form::choice:
      return joined(choices_of(key));
  }
  return "";
}

std::optional<Misfit> misfit(const KeyText& key, const Node& node) {
  if (fits(key, node)) return std::nullopt;
  const NotHere& other = key.traits.not_here;
  if (!other.word.empty() && base::lower(node.text) == other.word) {
    return Misfit{fmt::format("cannot be {}: {}", other.word, other.why), std::string(other.hint)};
  }
  const bool chooses =
      key.form == Form::choice && key.traits.choices.find(' ') != std::string_view::npos;
  const std::string_view one_of = chooses ? "one of " : "";
  return Misfit{fmt::format("must be {}{}, not {}", one_of, words_of(key), in_quotes(node.text)),
                hint_for(key, node)};
}

std::string key_hint(std::string_view typed, const std::vector<std::string>& meant,
                     const std::vector<std::string>& known) {
  for (const auto& [one, other] : kSameCounts) {
    if (one == typed && std::ranges::count(meant, other) > 0) {
      return fmt::format("did you mean {}?", other);
    }
  }
  return base::did_you_mean(typed, meant,
                            known.empty() ? "" : "keys that are allowed here: " + joined(known));
}

void store(Text& to, const Found& found) {
  const Node& node = found.node;
  to = {node.text, node.begin, node.end, node.quoted};
}

void store(Count& to, const Found& found) {
  to = {count_of(found.node.text).value_or(0), found.node.begin};
}

void store(bool& to, const Found& found) {
  to = found.node.text.starts_with('t') || found.node.text.starts_with('T');
}

void store(std::vector<Text>& to, const Found& found) {
  if (found.node.kind == Kind::text) store(to.emplace_back(), found);
}

void store(std::vector<Named>& to, const Found& found) {
  Named& named = to.emplace_back(Named{std::string(found.key), found.key_mark, {}});
  store(named.value, found);
}

}  // namespace muster::job
