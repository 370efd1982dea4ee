// OutsideHelpers: starts the helper program on the host for the agent in the container.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
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
  void accept();
  void wait_for_order(process::ProcessId id);
  void receive(process::ProcessId id);

  asio::io_context& loop_;
  asio::posix::stream_descriptor listener_;
  std::vector<std::string> environment_;
  process::ProcessId next_;
  Start start_;
  std::map<process::ProcessId, asio::posix::stream_descriptor> calls_;
  process::Life life_;
};

}  // namespace muster::host
