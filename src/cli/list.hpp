// list: the runs on record, as a table or as JSON; reindex: rebuilds the index behind it.
#pragma once

#include <string>

#include "cli/cli.hpp"
#include "front/request.hpp"

namespace muster::cli {

[[nodiscard]] int list(const std::string& records, const front::RecordRequest& request,
                       const Invocation& invocation);
[[nodiscard]] int reindex(const std::string& records, const front::RecordRequest& request);

}  // namespace muster::cli
