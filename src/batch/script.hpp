// Scripts for batch systems: what they have in common. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "batch/wish.hpp"

namespace muster::batch {

// A word as a shell reads it: in single quotes where it needs them.
[[nodiscard]] std::string shell_word(std::string_view word);

// The shell, what the script is, and one line for each directive, sorted; then the wish's lines of
// setup, its variables and its command, which takes the shell's place: what is sent to the job's
// script is sent to the command. `mark`: "#SBATCH"; its lines have no comment and no blank before.
[[nodiscard]] std::string script_text(const Wish& wish, std::string_view mark,
                                      std::vector<std::string> directives);

}  // namespace muster::batch
