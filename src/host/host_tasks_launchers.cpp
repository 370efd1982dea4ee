// What launchers inside the tasks find: themselves on PATH, and a head above them.
#include "base/variables.hpp"
#include "host/host_tasks.hpp"
#include "model/head_above.hpp"
#include "process/ownership.hpp"

namespace muster::host {

base::Result<void> HostTasks::make_launchers(const machine::HostOrders& orders) {
  if (orders.launchers.empty() || launchers_) return {};
  auto links = LauncherLinks::make(removals_);
  if (!links) return tl::unexpected(links.error());
  guard_.remove_at_end(links->folder());  // before anything lies in it
  launchers_.emplace(std::move(*links));
  return launchers_->add(orders.launchers);
}

// Where no socket can be made, launchers in ranks reach hosts by themselves, as in a shell.
void HostTasks::find_head_above() {
  head_above_ = base::value_of(own_environment_, model::kHeadAbove);
  if (!process::is_own_socket(head_above_)) head_above_.clear();
  if (!serves_launchers_ || !head_above_.empty()) return;
  auto made =
      LauncherSocket::make(loop_, removals_, [this](std::uint32_t connection, std::string bytes) {
        feed(machine::LauncherSays{{connection, std::move(bytes)}});
      });
  if (!made) return;
  launcher_socket_ = std::move(*made);
  guard_.remove_at_end(launcher_socket_->folder());
  head_above_ = launcher_socket_->path();
}

void HostTasks::perform(machine::AnswerLauncherHere& effect) {
  if (launcher_socket_) launcher_socket_->answer(effect.message.connection, effect.message.bytes);
}

}  // namespace muster::host
