// Register: which tasks of a host have called MPI_Init, and which of them the head does not know
// yet. Pure.
//
// The head is told of the first task of a world to arrive, since it begins to wait, and of the
// last, since then no task here keeps others waiting. It is told of the others only when it asks.
// Programs that do not use MPI cost nothing.
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
  // What the head is to be told now; mostly nothing.
  [[nodiscard]] std::vector<base::Rank> came(std::uint32_t world, base::Rank rank);
  // All that the head has not been told; counts as told from now on.
  [[nodiscard]] std::vector<base::Rank> untold();
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;

 private:
  struct World {
    std::size_t tasks = 0;
    std::set<base::Rank> here;
  };
  std::map<std::uint32_t, World> worlds_;  // by number
  std::vector<base::Rank> untold_;
};

}  // namespace muster::machine
