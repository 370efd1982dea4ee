// Which of its standard streams this process was started without, and what paths such as
// /dev/stdout name.
#pragma once

#include <optional>
#include <string>

namespace muster::process {

// Makes sure that 0, 1 and 2 are open (on /dev/null), so that no pipe of ours ever gets their
// number, and remembers which were closed. What is written to a stdout that was closed is lost, and
// its write fails with EBADF; of a stderr that was closed nobody can be told. Called once, before
// anything is opened.
void fill_standard_streams();

// The descriptor of this process that a path names, by whatever links (/dev/stdout, /dev/fd/3,
// /proc/self/fd/1); nothing if it names none. It may be closed.
[[nodiscard]] std::optional<int> descriptor_named(const std::string& path);

// Whether what the caller has opened as that descriptor can be written to.
[[nodiscard]] bool is_callers_to_write(int descriptor);

}  // namespace muster::process
