// Runs in a cluster: begins one, with a record that names it.
#pragma once

#include "cli/cli.hpp"
#include "front/cluster_request.hpp"
#include "front/front.hpp"
#include "model/record.hpp"

namespace muster::cli {

// The reading has `cluster`, and the request or the pipeline that goes there. Returns the exit
// code: of the run, unless it is detached.
[[nodiscard]] int run_in_cluster(const front::Reading& reading, const model::TypedCommand& asked,
                                 const Invocation& invocation);

}  // namespace muster::cli
