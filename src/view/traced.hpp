// What a rank was doing at the time limit, in words. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/id.hpp"
#include "model/world.hpp"

namespace muster::view {

// "rank 3 on node1, pid 42: sleeping in do_wait", then the lines of its stack, set in.
[[nodiscard]] std::string traced(std::span<const model::World> worlds, base::Rank rank,
                                 std::string_view host, std::int32_t pid, std::string_view state,
                                 std::string_view stack);

}  // namespace muster::view
