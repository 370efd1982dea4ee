// Reads hostlists as Slurm and Flux write them, and Slurm's compressed counts.
#include "spec/slurm_words.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "spec/host_word.hpp"
#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"

namespace muster::spec {
namespace {

using base::Result;
using Names = std::vector<std::string>;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && !text.empty() ? std::optional(number) : std::nullopt;
}

// Pieces between commas that are outside of brackets.
std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = end_of_host(text, at);
    items.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

// "008-010" or "12".
struct NumberRange {
  std::uint64_t first;
  std::uint64_t last;
  std::size_t width;  // of the first number, with leading zeros
};

std::optional<NumberRange> range_of(std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::string_view low = text.substr(0, dash);
  const auto first = number_in<std::uint64_t>(low);
  const auto last = dash == text.size() ? first : number_in<std::uint64_t>(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return NumberRange{*first, *last, low.size()};
}

// Nothing: it is no range, or has too many numbers. `width`: of all of them, with leading zeros; 0:
// as the range's begin has it.
std::optional<Names> numbers_of(std::string_view text, std::size_t width) {
  const auto range = range_of(text);
  if (!range || range->last - range->first >= kHostsMax) return std::nullopt;
  Names numbers;
  numbers.reserve(range->last - range->first + 1);
  for (std::uint64_t i = range->first; i <= range->last; ++i) {
    numbers.push_back(fmt::format("{:0{}}", i, width == 0 ? range->width : width));
  }
  return numbers;
}

std::optional<Names> numbers_in(std::string_view group, Widths widths) {
  Names all;
  const std::size_t of_first = std::min(group.find_first_not_of("0123456789"), group.size());
  const bool is_padded = of_first > 0 && group.front() == '0';
  const std::size_t width = widths == Widths::of_first && is_padded ? of_first : 0;
  for (const std::string_view range : items_of(group)) {
    const auto numbers = numbers_of(range, width);
    if (!numbers || all.size() + numbers->size() > kHostsMax) return std::nullopt;
    all.insert(all.end(), numbers->begin(), numbers->end());
  }
  return all;
}

constexpr std::uint64_t kTooMany = kHostsMax + 1;  // this many, or more

// How many numbers stand in brackets; 0: something else does.
std::uint64_t count_in(std::string_view group) {
  std::uint64_t count = 0;
  for (const std::string_view text : items_of(group)) {
    const auto range = range_of(text);
    if (!range) return 0;
    const std::uint64_t more = std::min<std::uint64_t>(range->last - range->first, kHostsMax) + 1;
    count = std::min(count + more, kTooMany);
  }
  return count;
}

// How many names "r[1-2]n[1-2]x" stands for; 0: it is none.
std::uint64_t count_of_names(std::string_view item) {
  std::uint64_t count = item.empty() ? 0 : 1;
  for (std::size_t open = item.find('['); open != item.npos; open = item.find('[')) {
    const std::size_t close = item.find(']', open);
    if (close == std::string_view::npos) return 0;
    count = std::min(count * count_in(item.substr(open + 1, close - open - 1)), kTooMany);
    item.remove_prefix(close + 1);
  }
  return count;
}

// Each name with each end.
std::optional<Names> joined(const Names& names, const Names& ends) {
  if (names.size() * ends.size() > kHostsMax) return std::nullopt;
  Names all;
  all.reserve(names.size() * ends.size());
  for (const std::string& name : names) {
    for (const std::string& end : ends) all.push_back(name + end);
  }
  return all;
}

// Nothing: it is none.
std::optional<Names> names_of(std::string_view item, Widths widths) {
  Names names = {""};
  while (!item.empty()) {
    const std::size_t open = std::min(item.find('['), item.size());
    auto longer = joined(names, {std::string(item.substr(0, open))});
    item.remove_prefix(open);
    if (longer && !item.empty()) {
      const std::size_t close = item.find(']');
      if (close == std::string_view::npos) return std::nullopt;
      const auto numbers = numbers_in(item.substr(1, close - 1), widths);
      longer = numbers ? joined(*longer, *numbers) : std::nullopt;
      item.remove_prefix(close + 1);
    }
    if (!longer) return std::nullopt;
    names = std::move(*longer);
  }
  return names.front().empty() ? std::nullopt : std::optional(std::move(names));
}

// "4(x3)": 4, three times.
struct Count {
  std::uint32_t number;
  std::size_t times;
};

std::optional<Count> count_of(std::string_view item) {
  const std::size_t open = std::min(item.find("(x"), item.size());
  const auto number = number_in<std::uint32_t>(item.substr(0, open));
  if (!number || *number == 0) return std::nullopt;
  if (open == item.size()) return Count{*number, 1};
  if (!item.ends_with(')')) return std::nullopt;
  const auto times = number_in<std::size_t>(item.substr(open + 2, item.size() - open - 3));
  return times ? std::optional(Count{*number, *times}) : std::nullopt;
}

tl::unexpected<base::Error> odd(std::string_view name, std::string_view what,
                                std::string_view text) {
  return base::fail_at({std::string(name), 0, 0}, base::Fault::usage,
                       "it is Slurm's; unset it, or name the hosts yourself",
                       "{} is not a {} as Slurm writes it: {}", name, what, in_quotes(text));
}

}  // namespace

std::optional<Names> names_in_hostlist(std::string_view text, Widths widths) {
  if (text.size() > kHostTextMax) return std::nullopt;
  Names all;
  for (const std::string_view item : items_of(text)) {
    auto names = names_of(item, widths);
    if (!names || all.size() + names->size() > kHostsMax) return std::nullopt;
    std::ranges::move(*names, std::back_inserter(all));
  }
  return all;
}

bool has_too_many_names(std::string_view text) {
  std::uint64_t count = 0;
  for (const std::string_view item : items_of(text.substr(0, kHostTextMax))) {
    const std::uint64_t more = count_of_names(item);
    if (more == 0) return false;
    count = std::min(count + more, kTooMany);
  }
  return count == kTooMany;
}

Result<Names> read_slurm_nodes(std::string_view text, std::string_view name) {
  auto names = names_in_hostlist(text, Widths::of_each);
  if (names) return std::move(*names);
  const auto items = items_of(text.substr(0, kHostTextMax));
  const auto bad = std::ranges::find_if(
      items, [](std::string_view item) { return !names_of(item, Widths::of_each); });
  return odd(name, "list of nodes", bad == items.end() ? text : *bad);
}

Result<std::vector<std::uint32_t>> read_slurm_counts(std::string_view text, std::size_t nodes,
                                                     std::string_view name) {
  std::vector<std::uint32_t> counts;
  for (const std::string_view item : items_of(text)) {
    const auto count = count_of(item);
    if (!count) return odd(name, "list of counts", text);
    counts.insert(counts.end(), std::min(count->times, nodes - counts.size()), count->number);
  }
  if (counts.size() < nodes) return odd(name, fmt::format("list of {} counts", nodes), text);
  return counts;
}

}  // namespace muster::spec
