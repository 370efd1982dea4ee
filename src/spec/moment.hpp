// A point of time as people write it: how long ago, a date with or without a time, or a time of
// day. Pure: the clock and the zone are the caller's.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

#include "base/error.hpp"

namespace muster::spec {

struct Moment {
  std::optional<std::chrono::seconds> ago = {};          // then nothing else counts
  std::optional<std::chrono::year_month_day> date = {};  // none: the last day with that time
  std::chrono::milliseconds time_of_day = {};            // from midnight on
  std::optional<std::chrono::minutes> east = {};         // of UTC; none: local time
  bool operator==(const Moment&) const = default;
};

// "10m", "1h30m" (s, m, h, d and w; below 10,000 of each), "14:30", "14:30:05", "2026-11-28",
// "2026-11-28 14:30", and what RFC 3339 has: "2026-11-28T14:30:00.5Z", "...+01:00". Fault::usage;
// `option` is what was typed, for the complaint.
[[nodiscard]] base::Result<Moment> read_moment(std::string_view option, std::string_view text);

using UtcTime = std::chrono::sys_time<std::chrono::milliseconds>;
// How far east of UTC the local time is then.
using ZoneAt = std::function<std::chrono::seconds(UtcTime)>;

[[nodiscard]] UtcTime utc_of(const Moment& moment, UtcTime now, const ZoneAt& zone);

}  // namespace muster::spec
