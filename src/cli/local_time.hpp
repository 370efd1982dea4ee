// The time from which on somebody wants to see output, by this machine's clock and zone.
#pragma once

#include <optional>

#include "front/request.hpp"
#include "model/record.hpp"

namespace muster::cli {

[[nodiscard]] std::optional<model::Utc> since_of(const front::RecordRequest& request);

}  // namespace muster::cli
