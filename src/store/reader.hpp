// Records as they are found: finished, under way, or left by a head that died.
#pragma once

#include <optional>
#include <string>

#include "model/record.hpp"
#include "process/unique_fd.hpp"

namespace muster::store {

// Nothing when there is no record, or none that can be read.
[[nodiscard]] std::optional<model::RunRecord> read_record(const std::string& folder);

[[nodiscard]] std::optional<model::TypedCommand> read_asked(const std::string& folder);

// Whether its report has been written: then nothing of it will ever change.
[[nodiscard]] bool is_finished(const std::string& folder);

// Its events, to look at or wait for their lock.
[[nodiscard]] process::UniqueFd open_events(const std::string& folder);

}  // namespace muster::store
