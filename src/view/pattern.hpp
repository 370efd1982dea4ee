// Patterns: what they stand for, of one rank at one time. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/output_spec.hpp"
#include "model/world.hpp"

namespace muster::view {

// Whose output it is.
struct Speaker {
  model::World world = {};
  std::uint32_t rank = 0;  // in its world
  std::uint32_t local_rank = 0;
  std::uint32_t node = 0;
  std::uint32_t attempt = 0;
  std::string_view host = {};
  std::string_view role = {};
};

struct WallTime {
  std::chrono::system_clock::time_point utc = {};
  std::chrono::seconds east{0};  // what local time is ahead of it
};

void append_pattern(std::string& out, const model::Pattern& pattern, const Speaker& speaker,
                    model::Stream stream, const WallTime& time);

// Whether a pattern needs to know the time.
[[nodiscard]] bool tells_time(const model::Pattern& pattern);

}  // namespace muster::view
