// Tells the first arrival and the last.
#include "machine/register.hpp"

#include <utility>

namespace muster::machine {

using base::Rank;

void Register::expect(std::uint32_t world, std::size_t tasks) { worlds_[world] = {tasks, {}}; }

std::vector<Rank> Register::came(std::uint32_t number, Rank rank) {
  const auto found = worlds_.find(number);
  if (found == worlds_.end() || !found->second.here.insert(rank).second) return {};
  untold_.push_back(rank);
  const World& world = found->second;
  const bool telling = world.here.size() == 1 || world.here.size() == world.tasks;
  return telling ? untold() : std::vector<Rank>();
}

std::vector<Rank> Register::untold() { return std::exchange(untold_, {}); }

}  // namespace muster::machine
