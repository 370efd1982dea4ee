// leave_first_process: in a container, muster may be process 1, to which all orphans fall, and
// which no signal ends by itself. Then a process that only waits is 1 instead.
#pragma once

namespace muster::process {

// Returns in a child where this process is 1, and in this process elsewhere. Process 1 stays: it
// passes on signals that end or stir a program, reaps whatever ends, and exits as the child does.
// Call it while the process has one thread.
void leave_first_process();

}  // namespace muster::process
