// Scripts for shell completion. Pure; generated from the tables of options.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muster::cli {

// What the scripts call muster with to hear of runs: `muster completion runs`, see offer_runs().
inline constexpr std::string_view kCompletionRuns = "runs";

// For "bash", "zsh" or "fish"; Fault::usage for any other shell.
[[nodiscard]] base::Result<std::string> completion(std::string_view shell);

}  // namespace muster::cli
