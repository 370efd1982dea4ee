// What has happened to a run, in words for people. Pure.
#pragma once

#include <string>

#include "model/run_event.hpp"

namespace muster::view {

// One line or more, without an end of line; empty: people are not told, or only in the report.
[[nodiscard]] std::string words(const model::RunEvent& event);

}  // namespace muster::view
