// What one rank's end means: the sentence about it, and the next step.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/report.hpp"

namespace muster::view {

// "exited with code 1" or "was killed by signal 9 (SIGKILL)".
[[nodiscard]] std::string end_of(const model::RankExit& exit);

// Who sent SIGKILL, as the kernel's counters tell it; empty when they are not known.
[[nodiscard]] std::string killer(const model::Circumstances& around);

// What a person should look at next after the rank that failed first; empty when nothing better
// than its own words is known. `telling` is the line among these that tells most.
[[nodiscard]] std::string next_step(const model::RunReport& report, std::string_view telling);

// "ranks 5, 6 exited with code 1; rank 9 was killed by signal 9 (SIGKILL)": equal ends together.
[[nodiscard]] std::string ends_of(std::span<const model::RankExit> exits,
                                  std::span<const model::World> worlds);

}  // namespace muster::view
