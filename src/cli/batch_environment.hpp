// batch_environment: what of this process's environment a job of a batch system may see.
#pragma once

#include <string>
#include <vector>

#include "cli/cli.hpp"

namespace muster::cli {

// Of a rank around, if there is one, such a job knows nothing: neither its head nor its hosts.
[[nodiscard]] std::vector<std::string> batch_environment(const Invocation& invocation);

}  // namespace muster::cli
