// Notices of the time limit, as people write them: a signal and a time.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "model/job_spec.hpp"

namespace muster::spec {

// "USR1@60" or "SIGUSR1@60": a signal that programs can catch, and seconds before the time limit.
// The error (Fault::usage) begins with "must be".
[[nodiscard]] base::Result<model::Notice> read_notice(std::string_view text);

// A notice must come after the start and before the limit: Fault::usage for any other.
[[nodiscard]] base::Result<void> check_notice(const std::optional<model::Notice>& notice,
                                              const std::optional<base::Duration>& timeout);

}  // namespace muster::spec
