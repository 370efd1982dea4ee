// Dice: random numbers that are the same on every machine for the same seed.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace muster::sim {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // Both ends are possible.
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(next() % (high - low + 1));
  }
  base::Duration between(base::Duration low, base::Duration high) {
    const auto room = static_cast<std::uint64_t>((high - low).count()) + 1;
    return low + base::Duration(next() % room);
  }
  bool chance(double probability) {
    return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability;
  }

 private:
  std::uint64_t state_;
};

}  // namespace muster::sim
