// head_options: what every head of this process has in common, whatever it is to do.
#pragma once

#include "cli/cli.hpp"
#include "head/head.hpp"

namespace muster::cli {

// Where this program lies.
[[nodiscard]] std::string own_path();

// "muster", where PATH finds this program by that name; else its path.
[[nodiscard]] std::string own_name(const std::vector<std::string>& environment);

// With a job name of its own each time; spec, plan and environments are the caller's to fill in.
[[nodiscard]] head::HeadOptions head_options(const Invocation& invocation);

}  // namespace muster::cli
