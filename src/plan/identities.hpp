// Variables by which the launcher tells ranks who they are, given by the user to all ranks alike.
#pragma once

#include <string>
#include <vector>

#include "model/job_spec.hpp"
#include "model/plan.hpp"

namespace muster::plan {

// One line for each: what the user sets for all ranks wins over what each would have, and that is
// hardly ever meant.
[[nodiscard]] std::vector<std::string> overridden(const model::JobSpec& spec,
                                                  const model::Plan& plan);

}  // namespace muster::plan
