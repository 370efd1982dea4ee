// records: lists, shows, awaits, ends, repeats and forgets runs that are on record.
#pragma once

#include "cli/cli.hpp"
#include "front/request.hpp"

namespace muster::cli {

[[nodiscard]] int records(const front::RecordRequest& request, const Invocation& invocation);

}  // namespace muster::cli
