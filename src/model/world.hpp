// World: the ranks that see each other as MPI_COMM_WORLD. A run has one, and one more for each
// MPI_Comm_spawn. Ranks are numbered through all worlds; within its own each world counts from 0.
#pragma once

#include <cstdint>
#include <span>

#include "base/id.hpp"

namespace muster::model {

struct World {
  std::uint32_t number = 1;  // 1: the job as it was started; then in the order of spawning
  base::Rank first;          // the run's number of its rank 0
  std::uint32_t size = 1;
  bool operator==(const World&) const = default;
  // The number of a rank of this world in MPI_COMM_WORLD.
  [[nodiscard]] std::uint32_t own(base::Rank rank) const { return rank.value - first.value; }
};

// The world of a rank, among all of the run; they are in order and without gaps, so the first one
// is never missing.
[[nodiscard]] const World& world_of(std::span<const World> worlds, base::Rank rank);

}  // namespace muster::model
