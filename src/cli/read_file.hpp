// The text of a file, or an error that says what is wrong.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.hpp"

namespace muster::cli {

// Of a file that the user named. Fault::bad_file for what is missing, not readable, or a folder.
// Reads at most `most` + 1 bytes, so that the caller can tell a file that is too large. Pipes are
// welcome: --hostfile <(make-hosts). "-" is stdin. Waits for whoever writes to a pipe, so it must
// be called where a signal ends the program.
[[nodiscard]] base::Result<std::string> read_input_file(const std::string& path, std::size_t most);

// The same for a file that the user did not name, such as a muster.yml beside a job: never waits.
// Only regular files and /dev/null, which is empty, are opened for reading.
[[nodiscard]] base::Result<std::string> read_found_file(const std::string& path, std::size_t most);

}  // namespace muster::cli
