// Which tasks have joined the others of their job, where no server hears of it.
#include "host/host_tasks.hpp"

namespace muster::host {

// Spawned ranks are not looked at, but the first ones still are.
void HostTasks::await_joining(const machine::HostOrders& orders) {
  if (orders.wireup.world > 1) return;
  const auto pid_of = [this](base::Rank rank) {
    const auto found = pids_.find(rank);
    return found == pids_.end() ? pid_t{0} : found->second;
  };
  joining_ = std::make_unique<Joining>(
      loop_, orders.tasks, pid_of, [this](base::Rank rank) { feed(machine::JoinedWorld{rank}); });
}

// Whoever has come since the last look is not missing.
void HostTasks::look_before_end(const machine::AgentEvent& event) {
  const auto* message = std::get_if<wire::ToAgent>(&event);
  const bool ends = message != nullptr && std::holds_alternative<wire::Stop>(*message);
  if (joining_ && ends) joining_->look();
}

}  // namespace muster::host
