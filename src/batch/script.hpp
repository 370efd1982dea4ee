// Scripts for batch systems: what they have in common. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "batch/wish.hpp"

namespace muster::batch {

// Whether the parts of the wish that become lines for the system are lines. Fault::bad_file.
[[nodiscard]] base::Result<void> check_lines(const Wish& wish);

// The shell (for lines of setup a bash that is a login's, since `module` and the like are functions
// of that), what the script is, and one line for each directive, sorted; then the wish's lines of
// setup, its variables and its command, which takes the shell's place: what is sent to the job's
// script is sent to the command. A line of setup that fails ends the script with its code. `mark`:
// "#SBATCH"; its lines have no comment and no blank before. `first`: lines of shell before all
// others.
[[nodiscard]] std::string script_text(const Wish& wish, std::string_view mark,
                                      std::vector<std::string> directives,
                                      std::string_view first = {});

}  // namespace muster::batch
