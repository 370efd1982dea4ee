// Reads whole numbers within bounds.
#include "spec/number.hpp"

#include <algorithm>
#include <charconv>

#include "spec/in_quotes.hpp"

namespace muster::spec {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

base::Result<std::uint32_t> read_number(std::string_view name, std::string_view text, Bounds bounds,
                                        base::Fault fault) {
  if (!is_digits(text)) {
    return base::fail(fault, "", "{} must be a whole number from {} to {}, not {}", name,
                      bounds.least, bounds.most, in_quotes(text));
  }
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || number < bounds.least || number > bounds.most) {
    return base::fail(fault, "", "{} must be from {} to {}, not {}", name, bounds.least,
                      bounds.most, text.size() > 20 ? in_quotes(text) : std::string(text));
  }
  return number;
}

}  // namespace muster::spec
