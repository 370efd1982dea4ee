// Chooses the runtime of this host, and gathers what its words depend on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "container/words.hpp"
#include "wire/messages.hpp"

namespace muster::host {

// The variable that tells the agent in a container which host it is on: see probe::identity().
inline constexpr std::string_view kHostIdentity = "MUSTER_HOST_IDENTITY";

struct ContainerPlan {
  model::ContainerSpec spec;  // with a particular runtime
  container::Facts facts;
};

// The runtime that the job or, failing that, this host wants, and where it is; in `spec` and
// `facts`, the rest of which stays as it was.
[[nodiscard]] base::Result<void> choose_runtime(ContainerPlan& plan,
                                                const std::vector<std::string>& environment);

// Makes the folder that the host and the container share, and those of the job; checks that all
// folders to be mounted are there.
[[nodiscard]] base::Result<ContainerPlan> contain_here(const wire::Contain& wanted,
                                                       const std::vector<std::string>& environment);

}  // namespace muster::host
