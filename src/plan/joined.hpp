// joined: the job of nodes that were started separately, each with its own program. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/inventory.hpp"
#include "model/job_spec.hpp"
#include "plan/environment.hpp"
#include "plan/plan.hpp"

namespace muster::plan {

// A node that has come to the head, in the order of nodes.
struct JoinedNode {
  std::string hostname;
  std::vector<std::string> command;
  std::string workdir;
  std::string role;
  std::uint32_t ranks = 1;
  // Of its shell, "NAME=VALUE": what takes the place of a default of muster's. All else stays there
  // and reaches its ranks without being told.
  std::vector<std::string> environment;
};

struct JoinedJob {
  model::JobSpec spec;  // an app for each node
  model::Inventory inventory;
  Kept kept;
};

// `own`: what was asked for on the head's node, which is the first; it has one app.
[[nodiscard]] base::Result<JoinedJob> joined(const model::JobSpec& own, const ThisMachine& here,
                                             std::span<const std::string> launching_shell,
                                             const std::vector<JoinedNode>& nodes);

}  // namespace muster::plan
