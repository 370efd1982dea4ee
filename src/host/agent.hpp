// The agent process: the tasks of one host, led by a head elsewhere.
#pragma once

#include <string>
#include <vector>

#include "process/unique_fd.hpp"

namespace muster::host {

// Over stdin and stdout. Runs until the head says Bye or the link goes; returns the exit code.
// `environment` is this process's own, `version` the program's.
[[nodiscard]] int run_agent(const std::vector<std::string>& environment,
                            const std::string& version);

// The same over a connection to a head that has said "begin". 0: the head has said Bye to its own
// run; else one line on stderr has told why. Told to end by a signal, the agent tells the head,
// which ends the ranks here in order.
[[nodiscard]] int run_called_agent(process::UniqueFd connection,
                                   const std::vector<std::string>& environment,
                                   const std::string& version);

}  // namespace muster::host
