// The bounds of a spec's numbers, the same for every front end.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.hpp"

namespace muster::spec {

inline constexpr std::uint32_t kFakeNodesMax = 10'000;  // each is a process
inline constexpr std::uint32_t kOpenMax = 10'000;       // each is a carrier process
inline constexpr std::uint32_t kDevicesMax = 1'000;     // of one rank
inline constexpr std::uint32_t kPortMax = 65'535;

struct Span {
  base::Duration least;
  base::Duration most;
};

inline constexpr Span kGrace = {std::chrono::milliseconds(0), std::chrono::hours(24)};
// A shorter lease would call a busy host lost.
inline constexpr Span kLease = {std::chrono::milliseconds(100), std::chrono::hours(24)};
inline constexpr Span kTimeout = {std::chrono::milliseconds(1), std::chrono::hours(24 * 365)};
inline constexpr Span kPatience = {std::chrono::milliseconds(10), std::chrono::hours(24)};

}  // namespace muster::spec
