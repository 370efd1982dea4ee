// The tasks of a Slurm step that calls muster once on each of its hosts: the first does what was
// asked for, for all of them; the others stay until that is done, since srun may end a step some
// time after its first task has ended (slurm.conf: WaitTime), and end with the same code.
//
//   task k   "muster-step 12.0 K PID\n"
//   task 0   "muster-step 12.0 ended CODE\n"    when all is done
//
// They meet at one of a few ports that follow from the step's name. Nothing of it is secret: a
// stranger there could end some of the others too early, or hold them up, and do nothing else. Of
// those that say nothing task 0 keeps as many as there are tasks, and 64 more; the oldest leave.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/time.hpp"
#include "model/step_place.hpp"

namespace muster::head {

// Task 0's view of them. Before end() the kernel answers those that connect, as many as its
// net.core.somaxconn; they see the end of this process, too.
class OtherTasks {
 public:
  // They may connect from now on. Fault::cannot_start: none of the ports is free.
  [[nodiscard]] static base::Result<OtherTasks> await(const model::StepPlace& place);
  // Tells each the code, also those that come within 5 s of await().
  void end(int code);

 private:
  explicit OtherTasks(const model::StepPlace& place);
  [[nodiscard]] std::error_code listen(std::uint16_t port);

  model::StepPlace place_;
  std::chrono::steady_clock::time_point begun_;
  std::unique_ptr<asio::io_context> loop_;
  asio::ip::tcp::acceptor acceptor_;
};

struct FollowOptions {
  base::Duration patience{0};  // until there is a connection
  // srun gives each task a copy of its input, and no further input to any while one does not read.
  bool drains_input = false;
  std::function<void(const std::string&)> say;  // a line for people
};

// Of another task: blocks until task 0 has told its code. From the first connection on the signals
// that srun passes to all tasks are left to task 0. 0, and a word, where no answer comes from its
// host in time: the two may have no way to each other. Fault::unreachable: nobody listens there in
// time, or task 0 is gone without a word.
[[nodiscard]] base::Result<int> follow_first_task(const model::StepPlace& place,
                                                  const FollowOptions& options);

}  // namespace muster::head
