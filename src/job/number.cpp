// Reads numbers with a fraction.
#include "job/number.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

namespace muster::job {

// strtod also knows hexadecimal numbers, infinities and blanks. std::from_chars does not, but would
// make the program load libm.
std::optional<double> number_of(std::string_view text) {
  constexpr std::size_t kLongest = 400;  // more digits than a double can have
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  const std::string whole(text);
  char* end = nullptr;
  const double number = std::strtod(whole.c_str(), &end);
  const bool all = end == whole.c_str() + whole.size();
  return all && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

}  // namespace muster::job
