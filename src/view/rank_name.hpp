// What a rank is called in messages. Pure.
#pragma once

#include <span>
#include <string>

#include "base/id.hpp"
#include "model/world.hpp"

namespace muster::view {

// "3"; of a world that was spawned "1 of spawned job 2", in its own numbers.
[[nodiscard]] std::string rank_number(std::span<const model::World> worlds, base::Rank rank);

// "rank 3", "rank 1 of spawned job 2".
[[nodiscard]] std::string rank_name(std::span<const model::World> worlds, base::Rank rank);

}  // namespace muster::view
