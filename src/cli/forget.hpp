// forget: removes records with all that lies in them: those that are named, or all that a filter
// lets through.
#pragma once

#include <string>

#include "front/request.hpp"

namespace muster::cli {

// Runs that go on stay: it is an error to name one. Returns the exit code.
[[nodiscard]] int forget(const std::string& records, const front::RecordRequest& request);

}  // namespace muster::cli
