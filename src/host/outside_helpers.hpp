// OutsideHelpers: starts the helper program on the host for the agent in the container.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "process/alarm.hpp"
#include "process/guard.hpp"
#include "process/helper_outside.hpp"
#include "process/life.hpp"

namespace muster::host {

class OutsideHelpers {
 public:
  using Start = std::function<void(const process::SpawnOrder&)>;

  // Listens in this folder. Processes are numbered from `first` on; `environment` is theirs.
  [[nodiscard]] static base::Result<std::unique_ptr<OutsideHelpers>> listen(
      asio::io_context& loop, const std::string& folder, std::vector<std::string> environment,
      process::ProcessId first, Start start);
  OutsideHelpers(const OutsideHelpers&) = delete;
  OutsideHelpers& operator=(const OutsideHelpers&) = delete;

  // A process with such a number has ended.
  void ended(process::ProcessId id, process::OutsideEnd end);

 private:
  OutsideHelpers(asio::io_context& loop, process::UniqueFd listener,
                 std::vector<std::string> environment, process::ProcessId first, Start start);
  void wait_for_call();
  // False: there is no descriptor left just now.
  bool accept();
  // Ends the oldest call that has said nothing, if there are `most`. False: there are fewer.
  bool make_room(std::size_t most);
  void wait_for_order(process::ProcessId id);
  void receive(process::ProcessId id);

  asio::io_context& loop_;
  asio::posix::stream_descriptor listener_;
  process::Alarm pause_;
  std::vector<std::string> environment_;
  process::ProcessId next_;
  Start start_;
  std::map<process::ProcessId, asio::posix::stream_descriptor> calls_;
  std::set<process::ProcessId> silent_;  // calls without an order yet, which comes at once
  process::Life life_;
};

}  // namespace muster::host
