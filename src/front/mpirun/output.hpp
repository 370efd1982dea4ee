// What mpirun's options about output and display do to the draft.
#pragma once

#include "front/mpirun/draft.hpp"

namespace muster::front {

// DIR[:nojobid,nocopy] of 4.1.
[[nodiscard]] base::Result<void> set_output_filename(MpirunDraft& draft, const Typed& typed);
// TAG,TIMESTAMP,MERGE,DIR=...:NOCOPY of 5.
[[nodiscard]] base::Result<void> set_output(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_output_directory(MpirunDraft& draft, const Typed& typed);
// MAP,ALLOC,BIND,TOPO of 5.
[[nodiscard]] base::Result<void> set_display(MpirunDraft& draft, const Typed& typed);

// Puts the output that was asked for into the spec.
void settle_mpirun_output(MpirunDraft& draft);

}  // namespace muster::front
