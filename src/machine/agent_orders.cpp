// What an agent does not do even when its head says so: orders that contradict what came before.
#include <algorithm>

#include "machine/agent_machine.hpp"

namespace muster::machine {

namespace {

base::Error contradiction(std::string what) {
  return {base::Fault::internal, std::move(what), wire::kOtherVersion, {}};
}

}  // namespace

base::Result<HostOrders> AgentMachine::ordered(const wire::Prepare& own) const {
  if (!told_) return tl::unexpected(contradiction("ranks of an unknown world were ordered"));
  auto orders = host_orders(*told_, own);
  if (!orders) return orders;
  if (auto error = objection(*orders)) return tl::unexpected(std::move(*error));
  return orders;
}

// Ranks and worlds are numbered once, in the order in which they come.
std::optional<base::Error> AgentMachine::objection(const HostOrders& orders) const {
  const std::uint32_t world = orders.wireup.world;
  for (const TaskOrder& task : orders.tasks) {
    if (!tasks_.contains(task.rank)) continue;
    return contradiction(fmt::format("rank {} was ordered twice", task.rank.value));
  }
  const bool is_late =
      std::ranges::any_of(tasks_, [&](const auto& entry) { return entry.second.world >= world; });
  if (is_late) return contradiction(fmt::format("world {} was ordered late", world));
  return std::nullopt;
}

// Every world has a place for every host of the run.
std::optional<base::Error> AgentMachine::objection(const wire::pmix::AddJob& add) {
  if (add.node < add.job->nodes.size()) return std::nullopt;
  return contradiction(fmt::format("world {} does not include this host", add.job->world));
}

}  // namespace muster::machine
