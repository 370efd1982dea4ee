// head_options: what every head of this process has in common, whatever it is to do.
#pragma once

#include "app/head.hpp"
#include "cli/cli.hpp"

namespace muster::cli {

// Where this program lies.
[[nodiscard]] std::string own_path();

// With a job name of its own each time; spec, plan and environments are the caller's to fill in.
[[nodiscard]] app::HeadOptions head_options(const Invocation& invocation);

}  // namespace muster::cli
