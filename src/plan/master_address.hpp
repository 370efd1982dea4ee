// check_master_address: whether ranks can meet at the MASTER_ADDR that somebody has chosen. Pure.
#pragma once

#include <string>

#include "base/error.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "plan/environment.hpp"

namespace muster::plan {

// Ranks on several machines cannot at an address that each machine takes for itself: an error where
// they meet there for sure, in torch's store; else a line to be told, or nothing.
[[nodiscard]] base::Result<std::string> check_master_address(const model::JobSpec& spec,
                                                             const model::Plan& plan,
                                                             const Kept& kept);

}  // namespace muster::plan
