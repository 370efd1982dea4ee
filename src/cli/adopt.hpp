// adopt: makes records of runs in a cluster that this machine does not know.
#pragma once

#include <string>

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "model/record.hpp"

namespace muster::cli {

// `records`: the folder of all records. `place`: the cluster; the runs there get the name of its
// target.
[[nodiscard]] base::Result<void> adopt(const std::string& records, const model::Scheduler& place,
                                       const Invocation& invocation);

}  // namespace muster::cli
