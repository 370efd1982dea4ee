// mpiexec's options about the end of ranks and of the job.
#pragma once

#include "front/hydra/draft.hpp"

namespace muster::front {

// MPIEXEC_TIMEOUT; Hydra's policy: ranks that end with a code other than 0 end nobody else, the
// job's code is all codes ORed; a rank ended by a signal ends the job with the signal's number
// (src/pm/hydra/mpiexec/mpiexec.c).
[[nodiscard]] base::Result<void> settle_hydra_end(HydraDraft& draft);

}  // namespace muster::front
