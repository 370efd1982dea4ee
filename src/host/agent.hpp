// The agent process: the tasks of one host, led over stdin and stdout by a head elsewhere.
#pragma once

#include <string>
#include <vector>

namespace muster::host {

// Runs until the head says Bye or the link goes; returns the exit code. `environment` is this
// process's own, `version` the program's.
[[nodiscard]] int run_agent(const std::vector<std::string>& environment,
                            const std::string& version);

}  // namespace muster::host
