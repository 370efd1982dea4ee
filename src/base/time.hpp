// Instant and Duration: time as a value that is passed in; nothing here reads a clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace muster::base {

using Duration = std::chrono::milliseconds;

// A steady clock without now(): only adapters know what time it is.
struct Steady {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<Steady>;
  static constexpr bool is_steady = true;
};
using Instant = std::chrono::time_point<Steady, std::chrono::nanoseconds>;

[[nodiscard]] inline std::optional<Instant> sooner(std::optional<Instant> a,
                                                   std::optional<Instant> b) {
  if (!a) return b;
  if (!b) return a;
  return *a < *b ? a : b;
}

}  // namespace muster::base
