// hash: a number that follows from a text, the same on all hosts and in all builds.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::base {

// FNV-1a, 32 bits: no protection against those who look for collisions.
[[nodiscard]] constexpr std::uint32_t hash(std::string_view text) {
  std::uint32_t sum = 2'166'136'261U;
  for (const char one : text) sum = (sum ^ static_cast<unsigned char>(one)) * 16'777'619U;
  return sum;
}

}  // namespace muster::base
