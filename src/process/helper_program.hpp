// The helper: a second program that main carries within itself, and starts where shared libraries
// are needed: hwloc, PMIx, and what the system's name service loads.
//
// The main program is linked statically: loading libraries took an eighth of its start. One file is
// enough on each host, and the two can never be of different builds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {

// Called once, by main: the helper's ELF file, which stays where it is.
void set_helper(std::string_view file);

// Where a process that has helper_file() as its kWireupDescriptor finds its program.
inline constexpr const char* kHelperPath = "/proc/self/fd/3";

// A file in memory that can be executed.
[[nodiscard]] base::Result<UniqueFd> helper_file();

// Starts the helper with these words, and waits for its end; what it has printed. An error is the
// helper's own (see tell_owner), or why it could not be started.
[[nodiscard]] base::Result<std::string> ask_helper(const std::vector<std::string>& words);

// Called in the helper: prints the answer and returns the exit code that says which kind it is.
[[nodiscard]] int tell_owner(const base::Result<std::string>& answer);

}  // namespace muster::process
