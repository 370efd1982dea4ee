// The dry run: what would be done, printed.
#pragma once

#include <optional>

#include "cli/prospect.hpp"
#include "front/request.hpp"

namespace muster::cli {

// `inner` is what the launcher in the command would start, if that is known. Returns the exit code.
[[nodiscard]] int show_dry_run(const front::RunRequest& request, const Prospect& job,
                               const std::optional<Prospect>& inner);

}  // namespace muster::cli
