// Claims: two jobs on one host bind to different cores as long as there are enough. Pure: hosts
// report which cores are taken.
#pragma once

#include <string>

#include "model/plan.hpp"

namespace muster::plan {

// The cpus that the ranks of a node are bound to, and that no other job shall bind to meanwhile.
// Empty when nothing is bound, or ranks are bound to all that they may use, which is no binding,
// and with --bind-to gpu: jobs with other GPUs use the same cpus. Of fake nodes, which may share
// cpus, the first one claims.
[[nodiscard]] model::CpuSet claims_of(const model::Plan& plan, base::NodeIndex node);

// Other jobs hold `claimed` on that node. Ranks that were to be bound there are bound anew by the
// same rules as if these cores were not there, or, where only single threads are left, these
// threads. None is bound any more when that leaves too few, and when the user has listed the cpus,
// which are never exchanged for others; then the answer is a line that says so. A node whose
// topology is not known is left alone, and so is --bind-to gpu.
[[nodiscard]] std::string yield_claimed(model::Plan& plan, base::NodeIndex node,
                                        const model::CpuSet& claimed);

}  // namespace muster::plan
