// serve: the hidden process that holds the PMIx server of one node, so that the library's threads,
// memory and faults are not the agent's.
//
// It is the helper program, started when the first MPI program connects, and a child of the guard
// like all others. It makes the run's folder (AddJob::scratch) and, when its agent closes the link
// or is gone, removes it and ends.
#pragma once

#include "process/unique_fd.hpp"

namespace muster::pmix {

// `link` is a stream socket to the agent, with frames of wire: PmixDown comes in, PmixUp goes out.
// The first command must be AddJob. `listener` is the agent's, with connections waiting in it.
// Returns the exit code: 0 when the agent has closed the link, 1 after a Broken. The library's
// threads still run then: leave with _Exit.
[[nodiscard]] int serve(process::UniqueFd link, process::UniqueFd listener);

// The same, with the link as descriptor 0 and the listener as descriptor 1; what the library prints
// to its output goes to descriptor 2.
[[nodiscard]] int serve_standard();

}  // namespace muster::pmix
