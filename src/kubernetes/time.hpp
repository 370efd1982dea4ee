// time_of: when something happened, as Kubernetes writes it. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "model/record.hpp"

namespace muster::kubernetes {

// RFC 3339: "2026-11-23T10:00:00Z" in the status of objects, with nine digits behind the second in
// `kubectl logs --timestamps`. Nothing for other text.
[[nodiscard]] std::optional<model::Utc> time_of(std::string_view text);

}  // namespace muster::kubernetes
