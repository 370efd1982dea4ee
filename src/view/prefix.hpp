// The prefix of a line of output: --tag and --timestamp. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/id.hpp"
#include "model/job_spec.hpp"
#include "model/world.hpp"

namespace muster::view {

// Appends "2026-11-21T10:00:00.123Z " and "[03] " as asked; ranks are padded to the width of the
// largest one of their world. A spawned world's number stands before: "[2:03] ". stderr lines carry
// the same prefix: they go to stderr.
void append_prefix(std::string& out, const model::OutputSpec& output, base::Rank rank,
                   const model::World& world, std::chrono::system_clock::time_point now);

}  // namespace muster::view
