// read_input_file: the text of a file that the user named, or an error that says what is wrong.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.hpp"

namespace muster::cli {

// Fault::bad_file for what is missing, not readable, or a folder. Reads at most `most` + 1 bytes,
// so that the caller can tell a file that is too large. Pipes are welcome: --hostfile
// <(make-hosts). "-" is stdin.
[[nodiscard]] base::Result<std::string> read_input_file(const std::string& path, std::size_t most);

}  // namespace muster::cli
