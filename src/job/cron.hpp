// cron_times: when a trigger is due, as cron's five fields. Pure.
#pragma once

#include <string>

#include "job/complaints.hpp"
#include "job/schedule.hpp"

namespace muster::job {

// Complains of what cron cannot say: every third day, since it counts days anew each month.
[[nodiscard]] std::string cron_times(const Trigger& trigger, Complaints& complaints);

// The name of one of Windows' time zones in tz, or ""; names of tz are what they are.
[[nodiscard]] std::string tz_name(std::string_view zone);

}  // namespace muster::job
