// mpiexec's options about connecting to hosts, as a carrier.
#pragma once

#include "front/hydra/draft.hpp"

namespace muster::front {

[[nodiscard]] base::Result<void> set_hydra_launcher(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_launcher_exec(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_rmk(HydraDraft& draft, const Typed& typed);

// Options first, then HYDRA_LAUNCHER, HYDRA_LAUNCHER_EXEC, HYDRA_LAUNCHER_EXTRA_ARGS and their
// older and Intel's names.
[[nodiscard]] base::Result<void> settle_hydra_reach(HydraDraft& draft);

}  // namespace muster::front
