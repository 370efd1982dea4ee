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

// Makes sure that 0, 1 and 2 are open (on /dev/null), so that no pipe of ours ever gets their
// number. What is written to a stdout that was closed is lost, and its write fails with EBADF;
// of a stderr that was closed nobody can be told.
void fill_standard_descriptors();

}  // namespace muster::host
