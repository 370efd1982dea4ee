// give_images: the image of a job's containers, on each of its hosts before anything else starts.
#pragma once

#include <optional>

#include "cli/cli.hpp"
#include "cli/prospect.hpp"
#include "model/report.hpp"

namespace muster::cli {

// Has each host check its runtime and pull what it lacks; or sends it from this machine, when the
// job says so. Nothing: all hosts can start their containers.
[[nodiscard]] std::optional<model::RunReport> give_images(const Prospect& job,
                                                          const std::optional<Prospect>& inner,
                                                          const Invocation& invocation);

}  // namespace muster::cli
