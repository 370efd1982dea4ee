// What an agent does not do even when its head says so: orders that contradict what came before.
#include <algorithm>
#include <set>

#include "machine/agent_machine.hpp"

namespace muster::machine {

namespace {

base::Error contradiction(std::string what) {
  return {base::Fault::internal, std::move(what), wire::kOtherVersion, {}};
}

// A world that is served for MPI must know from a rank's number whose it is.
bool is_within(const wire::Wireup& world, base::Rank rank) {
  if (!world.pmi && world.pmix_jobs.empty()) return true;
  return rank.value >= world.first.value && rank.value - world.first.value < world.size;
}

}  // namespace

// Ranks and worlds are numbered once, in the order in which they come.
std::optional<base::Error> AgentMachine::objection(const wire::Prepare& orders) const {
  const std::uint32_t world = orders.wireup.world;
  std::set<base::Rank> ranks;
  for (const wire::TaskOrder& task : orders.tasks) {
    if (tasks_.contains(task.rank) || !ranks.insert(task.rank).second) {
      return contradiction(fmt::format("rank {} was ordered twice", task.rank.value));
    }
    if (is_within(orders.wireup, task.rank)) continue;
    return contradiction(fmt::format("rank {} is not one of the {} from {} of world {}",
                                     task.rank.value, orders.wireup.size, orders.wireup.first.value,
                                     world));
  }
  const bool is_late =
      std::ranges::any_of(tasks_, [&](const auto& entry) { return entry.second.world >= world; });
  if (is_late) return contradiction(fmt::format("world {} was ordered late", world));
  return std::nullopt;
}

}  // namespace muster::machine
