// Limits of this process that a launcher has to lift for itself.
#pragma once

namespace muster::host {

// Three descriptors for each rank here and for each carrier may exceed the usual 1024.
// Call it once the guard is there: that keeps the old limit for the tasks, since select() breaks
// above it.
void raise_descriptor_limit();

// A file that has reached its limit (ulimit -f) is an error of the write, EFBIG, and no death. Call
// it before a Spawner is made: that gives tasks the default back.
void ignore_file_size_signal();

}  // namespace muster::host
