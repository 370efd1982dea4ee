// Scripts for shell completion. Pure; generated from the tables of options.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muster::cli {

// For "bash" or "zsh"; Fault::usage for any other shell.
[[nodiscard]] base::Result<std::string> completion(std::string_view shell);

}  // namespace muster::cli
