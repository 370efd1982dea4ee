// tf_config: TensorFlow's cluster, and the place of one rank in it. Pure.
#pragma once

#include <string>

#include "plan/environment.hpp"

namespace muster::plan {

// The value of TF_CONFIG; empty for a job whose apps have no roles. A task listens at its node's
// address, on the port that the node's agent found free, plus its local rank.
[[nodiscard]] std::string tf_config(const model::Plan& plan, const Rendezvous& where,
                                    const model::JobSpec& spec, base::Rank rank);

}  // namespace muster::plan
