// written_value: what a step has written into a file that stands for a value.
#pragma once

#include <string>

#include "base/error.hpp"

namespace muster::cli {

// Of a file, or of one that a link leads to. Fault::bad_file for anything else that lies there, and
// for more than a value has: whoever opened a fifo or read a device could wait for ever.
[[nodiscard]] base::Result<std::string> written_value(const std::string& path);

}  // namespace muster::cli
