// An expression of cron: its five fields, each with its range. Pure.
#pragma once

#include <string>

#include "job/complaints.hpp"
#include "job/text.hpp"

namespace muster::job {

// The fields, one blank between, in the words that every cron reads: "5/15" becomes "5-59/15".
[[nodiscard]] std::string expression_times(const Text& expression, Complaints& complaints);

}  // namespace muster::job
