// Which tasks have joined the others of their job, where no server hears of it.
#include <algorithm>
#include <iterator>

#include "host/host_tasks.hpp"

namespace muster::host {

// Spawned ranks are not looked at, but the first ones still are.
void HostTasks::await_joining(const World& world) {
  const machine::HostOrders& orders = world.orders;
  if (orders.wireup.world > 1) return;
  std::vector<machine::TaskOrder> tasks;
  std::ranges::copy_if(orders.tasks, std::back_inserter(tasks), [&](const auto& task) {
    if (!orders.wireup.pmi) return true;
    return task.app < world.programs.size() && world.programs[task.app].hooked;
  });
  const auto pid_of = [this](base::Rank rank) {
    const auto found = pids_.find(rank);
    return found == pids_.end() ? pid_t{0} : found->second;
  };
  joining_ = std::make_unique<Joining>(loop_, tasks, pid_of, [this](base::Rank rank) {
    feed(machine::JoinedWorld{.rank = rank, .by_sockets = true});
  });
}

// Whoever has come since the last look is not missing.
void HostTasks::look_before_end(const machine::AgentEvent& event) {
  const auto* message = std::get_if<wire::ToAgent>(&event);
  const bool ends = message != nullptr && std::holds_alternative<wire::Stop>(*message);
  if (joining_ && ends) joining_->look();
}

}  // namespace muster::host
