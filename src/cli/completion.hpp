// Scripts that let a shell complete muster's words. Pure; made from the table of options.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muster::cli {

// For "bash" or "zsh"; Fault::usage for any other shell.
[[nodiscard]] base::Result<std::string> completion(std::string_view shell);

}  // namespace muster::cli
