// check: refuses specs that contradict themselves, whichever front end made them. Pure.
#pragma once

#include "base/error.hpp"
#include "model/job_spec.hpp"

namespace muster::spec {

// No command; ranks of 0 or above kRanksMax; hosts together with fake nodes; stdin for a rank that
// cannot exist; variable names that are empty or hold '='; grace, timeout or lease out of bounds.
// `allocates`: a batch system will be asked for its hosts.
[[nodiscard]] base::Result<void> check(const model::JobSpec& spec, bool allocates = false);

}  // namespace muster::spec
