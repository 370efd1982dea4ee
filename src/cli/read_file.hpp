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

// The same of one that nobody has named, such as a muster.yml beside a job: it never waits, and
// what is neither a regular file nor /dev/null, which is empty, is not opened for reading.
[[nodiscard]] base::Result<std::string> read_found_file(const std::string& path, std::size_t most);

}  // namespace muster::cli
