// Asks the C library, which never fails to ask the kernel.
#include "probe/random.hpp"

#include <cstdlib>
#include <fmt/format.h>

namespace muster::probe {

std::uint32_t random_number() { return ::arc4random(); }

std::string random_digits(std::size_t count) {
  std::string digits;
  while (digits.size() < count) digits += fmt::format("{:08x}", random_number());
  digits.resize(count);
  return digits;
}

}  // namespace muster::probe
