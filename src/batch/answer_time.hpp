// Points in time as answers of batch systems spell them. Pure.
#pragma once

#include <optional>
#include <string>

#include "model/record.hpp"

namespace muster::batch {

// `form`: as of strptime(3), with %z where the zone is told; else the time is that of UTC. Nothing
// for a text of any other form.
[[nodiscard]] std::optional<model::Utc> answer_time(const std::string& text, const char* form);

}  // namespace muster::batch
