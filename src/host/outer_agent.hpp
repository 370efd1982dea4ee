// The outer agent: starts a container on its host, and the agent in there; then passes on what the
// head and that one say.
#pragma once

#include <string>
#include <vector>

#include "wire/messages.hpp"

namespace muster::host {

// What has come over stdin so far.
struct Contained {
  wire::Contain wanted;
  std::string rest;  // behind it
};

// Until the container has ended, and nothing is left of it; returns the exit code. Call it while
// the process has one thread.
[[nodiscard]] int run_outer_agent(const Contained& contained,
                                  const std::vector<std::string>& environment);

}  // namespace muster::host
