// Joining: notices which tasks of this host have joined the others of their job, where only their
// sockets show it: it looks at them from time to time until all have.
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <sys/types.h>
#include <vector>

#include "base/id.hpp"
#include "machine/host_orders.hpp"
#include "process/alarm.hpp"

namespace muster::host {

class Joining {
 public:
  // Those that are to be looked at (TaskOrder::joins_at), which may be none. `pid_of`: 0 for a task
  // that does not run. `joined` is told of each once.
  Joining(asio::io_context& loop, const std::vector<machine::TaskOrder>& tasks,
          std::function<pid_t(base::Rank)> pid_of, std::function<void(base::Rank)> joined);

  // Looks now, and again in a second or more.
  void look();

 private:
  [[nodiscard]] std::vector<base::Rank> arrived() const;

  process::Alarm alarm_;
  std::function<pid_t(base::Rank)> pid_of_;
  std::function<void(base::Rank)> joined_;
  std::map<base::Rank, std::uint16_t> awaited_;  // with the port by which each is known
};

}  // namespace muster::host
