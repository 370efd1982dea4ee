// forget: removes records and their files: the named ones, or all that match a filter.
#pragma once

#include <string>

#include "cli/cli.hpp"
#include "front/request.hpp"

namespace muster::cli {

// It is an error to name a run that has not ended; a filter skips such runs. Returns the exit code.
[[nodiscard]] int forget(const std::string& records, const front::RecordRequest& request,
                         const Invocation& invocation);

}  // namespace muster::cli
