// Child: one process that the head starts itself, the carrier of a link, and learns the end of.
//
// Tasks are not started this way but by the guard. A carrier needs no guard: it ends when the pipe
// to it closes, whoever held that.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace asio {
class io_context;
}

namespace muster::process {

struct ChildEnd {
  std::int32_t code = 0;
  std::int32_t signal = 0;
};

// The parent's ends of a child's three pipes.
struct ChildPipes {
  UniqueFd in;
  UniqueFd out;
  UniqueFd err;
};

class Child {
 public:
  // Looks words[0] up in this process's PATH. The child gets this process's environment, a process
  // group of its own (Ctrl-C is for the head alone) and a clean signal state.
  // `when_caller_ends`: the signal that it gets when this process is killed; 0: none. `umask`: none
  // is this process's own.
  [[nodiscard]] static base::Result<std::unique_ptr<Child>> start(
      asio::io_context& loop, const std::vector<std::string>& words,
      const std::vector<std::string>& environment, std::function<void(ChildEnd)> ended,
      int when_caller_ends = 0, std::optional<mode_t> umask = std::nullopt);
  // SIGKILL to its process group, and wait, unless it has ended; the callback does not come any
  // more. What it left in its group when it ended by itself has been killed too.
  ~Child();
  // The same without a wait: the loop reaps it when it has ended, which may be never where the
  // kernel holds it, as a broken driver does.
  static void let_go(std::unique_ptr<Child> child);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] ChildPipes& pipes() { return pipes_; }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  class Watch;
  Child(pid_t pid, ChildPipes pipes) : pid_(pid), pipes_(std::move(pipes)) {}

  pid_t pid_;
  ChildPipes pipes_;
  std::shared_ptr<Watch> watch_;
};

}  // namespace muster::process
