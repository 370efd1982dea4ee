// Walks search spaces.
#include "sweep/space.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/check.hpp"

namespace muster::sweep {
namespace {

// In the order of Law.
constexpr std::array<std::string_view, 10> kLaws = {
    "choice",      "randint", "uniform", "quniform",  "loguniform",
    "qloguniform", "normal",  "qnormal", "lognormal", "qlognormal"};

void fill(const Space& space, const Chooser& choose, bool counts, Point& point) {
  for (const Parameter& parameter : space) {
    const std::size_t mine = point.size();
    point.emplace_back();
    if (counts) point[mine] = choose(parameter, mine);
    for (std::size_t i = 0; i < parameter.options.size(); ++i) {
      const bool chosen = counts && point[mine] == double(i);
      fill(parameter.options[i].members, choose, chosen, point);
    }
  }
}

// A number and true and false stand for themselves; all else is text.
std::string json_of(const std::string& text) {
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  const bool plain = is_number && std::isfinite(number);
  if (plain || text == "true" || text == "false" || text.starts_with('{')) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", c);
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "\"";
}

class Assigner {
 public:
  explicit Assigner(const Point& point) : point_(point) {}

  // Those of one space, its own ones and those nested in it.
  void take(const Space& space, bool counts, std::vector<Assignment>& out) {
    for (const Parameter& parameter : space) take(parameter, counts, out);
  }

  // As a choice's value; every member is among `inner`.
  static std::string map_text(const Space& members, const std::vector<Assignment>& inner) {
    std::string text;
    for (const Parameter& member : members) {
      const auto found = std::ranges::find(inner, member.name, &Assignment::name);
      CHECK(found != inner.end());
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", json_of(member.name),
                          json_of(found->text));
    }
    return "{" + text + "}";
  }

 private:
  void take(const Parameter& parameter, bool counts, std::vector<Assignment>& out) {
    const std::optional<double> value = point_[at_++];
    const std::size_t slot = out.size();
    if (counts) out.push_back({parameter.name, {}});
    std::string text;
    for (std::size_t i = 0; i < parameter.options.size(); ++i) {
      const Option& option = parameter.options[i];
      const bool chosen = counts && value == double(i);
      std::vector<Assignment> inner;
      take(option.members, chosen, inner);
      if (!chosen) continue;
      text = option.members.empty() ? option.text : map_text(option.members, inner);
      out.insert(out.end(), inner.begin(), inner.end());
    }
    if (!counts) return;
    if (parameter.law != Law::choice) text = number_text(*value);
    out[slot].text = std::move(text);
  }

  const Point& point_;
  std::size_t at_ = 0;
};

// The index of an option, or the number.
double value_with(const Parameter& parameter, const std::vector<Assignment>& values) {
  const auto own = std::ranges::find(values, parameter.name, &Assignment::name);
  if (own == values.end()) return 0;
  double number = 0;
  std::from_chars(own->text.data(), own->text.data() + own->text.size(), number);
  if (parameter.law != Law::choice) return number;
  const auto is_this = [&](const Option& option) {
    if (option.members.empty()) return option.text == own->text;
    const bool has_all = std::ranges::all_of(option.members, [&](const Parameter& member) {
      return std::ranges::count(values, member.name, &Assignment::name) > 0;
    });
    return has_all && Assigner::map_text(option.members, values) == own->text;
  };
  const auto found = std::ranges::find_if(parameter.options, is_this);
  return found == parameter.options.end() ? 0 : double(found - parameter.options.begin());
}

void add_names(const Space& space, std::vector<std::string>& all) {
  for (const Parameter& parameter : space) {
    if (std::ranges::find(all, parameter.name) == all.end()) all.push_back(parameter.name);
    for (const Option& option : parameter.options) add_names(option.members, all);
  }
}

}  // namespace

std::string_view word(Law law) { return kLaws[static_cast<std::size_t>(law)]; }

std::string_view law_words() {
  return "choice randint uniform quniform loguniform qloguniform normal qnormal lognormal "
         "qlognormal";
}

std::optional<Law> law_of(std::string_view word) {
  const auto found = std::ranges::find(kLaws, word);
  if (found == kLaws.end()) return std::nullopt;
  return static_cast<Law>(found - kLaws.begin());
}

std::size_t dimensions(const Space& space) {
  std::size_t count = space.size();
  for (const Parameter& parameter : space) {
    for (const Option& option : parameter.options) count += dimensions(option.members);
  }
  return count;
}

Point point_of(const Space& space, const Chooser& choose) {
  Point point;
  fill(space, choose, true, point);
  return point;
}

std::vector<Assignment> assignments(const Space& space, const Point& point) {
  CHECK(point.size() == dimensions(space));
  std::vector<Assignment> all;
  Assigner(point).take(space, true, all);
  return all;
}

std::optional<Point> point_with(const Space& space, const std::vector<Assignment>& values) {
  Point point = point_of(space, [&](const Parameter& parameter, std::size_t) {
    return value_with(parameter, values);
  });
  const bool is_it = std::ranges::is_permutation(assignments(space, point), values);
  return is_it ? std::optional(std::move(point)) : std::nullopt;
}

std::vector<std::string> names(const Space& space) {
  std::vector<std::string> all;
  add_names(space, all);
  return all;
}

std::string number_text(double number) {
  constexpr double kWhole = 1e15;
  const bool fits = number > -kWhole && number < kWhole;
  if (fits && number == std::floor(number)) {
    return fmt::format("{}", static_cast<std::int64_t>(number));
  }
  return fmt::format("{:.15g}", number);
}

}  // namespace muster::sweep
