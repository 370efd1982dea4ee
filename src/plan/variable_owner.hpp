// What a variable of the launching shell belongs to, and so whether it is passed on.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::plan {

enum class Belongs : std::uint8_t {
  to_user,     // passed on wherever ranks run
  to_rank,     // stale in any other process
  to_meeting,  // likewise, but that users have reasons to choose it: MASTER_ADDR, MS_SCHED_HOST
  to_host,     // or to one login: wrong on another host
};
[[nodiscard]] Belongs belongs(std::string_view name);

// Why a variable is not there that the user does not want.
inline constexpr std::string_view kUnset = "unset, as asked";

// Variables that another launcher, or muster itself, made for one rank: stale in any other process.
// The reason, or empty when the variable is none of these.
[[nodiscard]] std::string_view stale_because(std::string_view name);

// Variables that belong to one host or one login. The reason, or empty.
[[nodiscard]] std::string_view stays_because(std::string_view name);

}  // namespace muster::plan
