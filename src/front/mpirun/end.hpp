// What mpirun's options about time limits and failures do to the draft.
#pragma once

#include "front/mpirun/draft.hpp"

namespace muster::front {

[[nodiscard]] base::Result<void> set_timeout(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_max_restarts(MpirunDraft& draft, const Typed& typed);
// --runtime-options of 5: KEY[=VALUE],...
[[nodiscard]] base::Result<void> set_runtime_options(MpirunDraft& draft, const Typed& typed);

// MPIEXEC_TIMEOUT, and what the spec knows about failures.
[[nodiscard]] base::Result<void> settle_mpirun_end(MpirunDraft& draft);

}  // namespace muster::front
