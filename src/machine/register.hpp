// Register: which tasks of a host have called MPI_Init, and which of them the head does not know
// yet. Pure.
//
// The head is told of a world's first arrival here, which begins to wait, and of its last, after
// which no task here keeps others waiting; of those in between only when asked. Programs that are
// not MPI cost nothing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/id.hpp"

namespace muster::machine {

class Register {
 public:
  // A world has this many tasks here. Replaces a world with the same number.
  void expect(std::uint32_t world, std::size_t tasks);
  // What is to be told now; mostly nothing.
  [[nodiscard]] std::vector<base::Rank> came(std::uint32_t world, base::Rank rank);
  // All that the head has not been told; counts as told from now on.
  [[nodiscard]] std::vector<base::Rank> untold();

 private:
  struct World {
    std::size_t tasks = 0;
    std::set<base::Rank> here;
  };
  std::map<std::uint32_t, World> worlds_;  // by number
  std::vector<base::Rank> untold_;
};

}  // namespace muster::machine
