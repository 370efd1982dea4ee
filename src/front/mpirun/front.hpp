// Open MPI's mpirun: its arguments, variables and files in, a request out.
#pragma once

#include "front/front.hpp"

namespace muster::front {

// The rules are those of Open MPI 4.1, with the spellings of 5 beside them; where both differ, 4.1
// counts (ompi v4.1.4 orte/orted/orted_submit.c; prrte v3.0.11 src/mca/schizo/ompi). Root may run
// ranks, and a line may stand inside another job.
[[nodiscard]] base::Result<Reading> read_mpirun(const Call& call);

[[nodiscard]] OptionTexts mpirun_options();

}  // namespace muster::front
