// The words of `muster run` in, a checked JobSpec out.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "cli/launch.hpp"

namespace muster::cli {

// Either a request, or text to print (help) and exit with 0.
struct RunWords {
  std::optional<RunRequest> request;
  std::string help;
};

// `words` come after "run". `current_folder` makes --workdir absolute and is its default.
// Options end at the first word that is no option: that is the program, all that follows is its
// own. Reads the hostfile. Unknown options are Fault::usage with the nearest known one as hint.
[[nodiscard]] base::Result<RunWords> read_run_words(std::span<const std::string> words,
                                                    const std::string& current_folder);

}  // namespace muster::cli
