// read_number: whole numbers as people type them, with a complaint that says what is allowed.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"

namespace muster::spec {

struct Bounds {
  std::uint32_t least = 1;
  std::uint32_t most = 0;
};

// Decimal digits only: no sign, no blank, no suffix. `name` is what the complaint calls the number:
// "slots must be from 1 to 1000000, not 0".
[[nodiscard]] base::Result<std::uint32_t> read_number(std::string_view name, std::string_view text,
                                                      Bounds bounds, base::Fault fault);

}  // namespace muster::spec
