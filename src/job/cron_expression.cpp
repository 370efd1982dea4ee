// crontab(5): lists of numbers, ranges and steps; names for months and days of the week.
#include "job/cron_expression.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <vector>

#include "base/words.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

struct CronField {
  std::string_view name;
  std::uint32_t least;
  std::uint32_t most;
  std::string_view names = {};  // of its numbers from `least` on
};

constexpr CronField kCronFields[] = {
    {"the minute", 0, 59},
    {"the hour", 0, 23},
    {"the day of the month", 1, 31},
    {"the month", 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"},
    {"the day of the week", 0, 7, "sun mon tue wed thu fri sat"}};

std::optional<std::uint32_t> cron_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint32_t> value_of(const CronField& field, std::string_view text) {
  const auto names = base::split(field.names, " ");
  const auto named = std::ranges::find(names, base::lower(text));
  if (named != names.end()) return field.least + static_cast<std::uint32_t>(named - names.begin());
  const auto number = cron_number(text);
  const bool fits = number && *number >= field.least && *number <= field.most;
  return fits ? number : std::nullopt;
}

bool is_range(const CronField& field, std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return text == "*" || value_of(field, text);
  const auto first = value_of(field, text.substr(0, dash));
  const auto last = value_of(field, text.substr(dash + 1));
  return first && last && *first <= *last;
}

// One part of a list in the words of cron; nothing: it is none.
std::optional<std::string> part_of(const CronField& field, std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view range = text.substr(0, slash);
  if (!is_range(field, range)) return std::nullopt;
  if (slash == std::string_view::npos) return std::string(text);
  const auto step = cron_number(text.substr(slash + 1));
  if (!step || *step == 0 || *step > field.most) return std::nullopt;
  const bool is_single = range != "*" && range.find('-') == std::string_view::npos;
  return is_single ? fmt::format("{}-{}/{}", range, field.most, *step) : std::string(text);
}

std::string what_fits(const CronField& field) {
  std::string text = fmt::format("{} to {}", field.least, field.most);
  if (!field.names.empty()) {
    text += fmt::format(", {} to {}", field.names.substr(0, 3),
                        field.names.substr(field.names.size() - 3));
  }
  return text + ", a list or a range of them, or *";
}

std::optional<std::string> field_in_words(const CronField& field, std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    auto part = part_of(field, text.substr(0, comma));
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

std::string expression_times(const Text& expression, Complaints& complaints) {
  std::vector<std::string> fields = base::split(expression.text, " \t");
  if (fields.size() != std::size(kCronFields)) {
    complaints.add(expression.begin,
                   fmt::format("trigger.expression must be cron's five fields, not {}",
                               spec::in_quotes(expression.text)),
                   "minute, hour, day, month and day of the week: '30 4 * * 1-5'");
    return {};
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto words = field_in_words(kCronFields[i], fields[i]);
    if (words) {
      fields[i] = std::move(*words);
      continue;
    }
    complaints.add(expression.begin,
                   fmt::format("trigger.expression: {} must be {}, not {}", kCronFields[i].name,
                               what_fits(kCronFields[i]), spec::in_quotes(fields[i])),
                   "the fields are minute, hour, day, month and day of the week");
  }
  return fmt::format("{}", fmt::join(fields, " "));
}

}  // namespace muster::job
