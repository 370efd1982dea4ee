// Most looks read one table of the kernel: descriptors are looked through once a socket is there.
#include "host/joining.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <utility>

#include "probe/port_users.hpp"

namespace muster::host {

Joining::Joining(asio::io_context& loop, const std::vector<machine::TaskOrder>& tasks,
                 std::function<pid_t(base::Rank)> pid_of, std::function<void(base::Rank)> joined)
    : alarm_(loop), pid_of_(std::move(pid_of)), joined_(std::move(joined)) {
  for (const machine::TaskOrder& task : tasks) {
    if (task.joins_at != 0) awaited_[task.rank] = task.joins_at;
  }
}

// At most a hundredth of a processor is spent here.
void Joining::look() {
  using std::chrono::steady_clock;
  constexpr base::Duration kPause = std::chrono::seconds(1);
  constexpr int kShare = 100;
  const auto began = steady_clock::now();
  if (awaited_.empty()) return;
  for (const base::Rank rank : arrived()) {
    awaited_.erase(rank);
    joined_(rank);
  }
  const auto rest =
      std::chrono::duration_cast<base::Duration>((steady_clock::now() - began) * kShare);
  alarm_.after(std::max(kPause, rest), [this] { look(); });
}

std::vector<base::Rank> Joining::arrived() const {
  std::set<std::uint16_t> ports;
  for (const auto& [rank, port] : awaited_) ports.insert(port);
  const auto users = probe::port_users("", ports);
  std::vector<base::Rank> ranks;
  if (users.empty()) return ranks;
  for (const auto& [rank, port] : awaited_) {
    const pid_t pid = pid_of_(rank);
    if (pid == 0) continue;
    const auto is_at_port = [&, own = port](std::uint64_t socket) {
      const auto found = users.find(socket);
      return found != users.end() && found->second == own;
    };
    if (std::ranges::any_of(probe::sockets_of("", pid), is_at_port)) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace muster::host
