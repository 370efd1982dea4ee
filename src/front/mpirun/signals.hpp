// Which signals Open MPI's mpirun passes on to the ranks.
#pragma once

#include "front/mpirun/draft.hpp"

namespace muster::front {

// --forward-signals of 5, ess_base_forward_signals of both: names or numbers besides those of
// always, or "none".
[[nodiscard]] base::Result<void> set_forward_signals(MpirunDraft& draft, const Typed& typed);

// What 4.1 passes on by default (orte/mca/ess/base/ess_base_frame.c).
[[nodiscard]] std::vector<std::int32_t> usual_signals();

}  // namespace muster::front
