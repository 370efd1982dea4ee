// hold_hosts: the command of a job of a batch system whose hosts a run on another machine uses.
#pragma once

#include <string_view>

#include "cli/cli.hpp"

namespace muster::cli {

// The word for it behind `muster agent`.
inline constexpr std::string_view kHoldsHosts = "holds";

// Writes its environment to stdout, each variable and then the whole ended by a null byte, and
// stays until stdin ends.
[[nodiscard]] int hold_hosts(const Invocation& invocation);

}  // namespace muster::cli
