// What one rank's end means: the sentence about it, and the next step.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/report.hpp"

namespace muster::view {

// "exited with code 1" or "was killed by signal 9 (SIGKILL)".
[[nodiscard]] std::string end_of(const model::RankExit& exit);

// What a person should look at next; empty when nothing better than the rank's own words is known.
[[nodiscard]] std::string next_step(const model::RankExit& exit, std::string_view host,
                                    std::string_view telling);

// "ranks 5, 6 exited with code 1; rank 9 was killed by signal 9 (SIGKILL)": equal ends together.
[[nodiscard]] std::string ends_of(std::span<const model::RankExit> exits,
                                  std::span<const model::World> worlds);

}  // namespace muster::view
