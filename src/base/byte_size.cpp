// A number, then a unit.
#include "base/byte_size.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/words.hpp"

namespace muster::base {
namespace {

// Of "", "k", "mib", "gb": how many bytes it stands for; nothing when it is no unit.
std::optional<double> unit_bytes(std::string unit) {
  if (unit.ends_with('b')) unit.pop_back();
  if (unit.empty()) return 1.0;
  const std::size_t power = std::string_view("kmgt").find(unit.front());
  const bool binary = unit.substr(1) == "i";
  if (power == std::string_view::npos || (unit.size() > 1 && !binary)) return std::nullopt;
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

}  // namespace

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
  constexpr double kMost = 1e18;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, wrong] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (wrong != std::errc() || !(number >= 0)) return std::nullopt;
  const auto unit = unit_bytes(lower(std::string(after, end)));
  if (!unit || number * *unit > kMost) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(number * *unit));
}

std::optional<std::uint64_t> parse_budget(std::string_view text) {
  const auto size = parse_byte_size(text);
  const bool has_unit = text.find_first_not_of("0123456789.") != std::string_view::npos;
  return has_unit || size == 0u ? size : std::nullopt;
}

std::string byte_words(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  auto number = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; number >= 999.5 && unit + 1 < std::size(kUnits); ++unit) number /= 1000;
  return number < 9.95 ? fmt::format("{:.1f} {}", number, kUnits[unit])
                       : fmt::format("{:.0f} {}", number, kUnits[unit]);
}

}  // namespace muster::base
