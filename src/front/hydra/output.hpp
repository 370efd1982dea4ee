// What mpiexec's options about output do to the draft.
#pragma once

#include "front/hydra/draft.hpp"

namespace muster::front {

[[nodiscard]] base::Result<void> set_hydra_prepend_rank(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_prepend_pattern(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_outfile(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_errfile(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_output_from(HydraDraft& draft, const Typed& typed);

[[nodiscard]] base::Result<void> settle_hydra_output(HydraDraft& draft);

}  // namespace muster::front
