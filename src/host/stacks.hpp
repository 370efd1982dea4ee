// Stacks: what the tasks of this host are doing: asked of gdb where it is installed, else of the
// kernel. Bounded in time, in size, and in debuggers at the same time.
#pragma once

#include <asio/io_context.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/id.hpp"
#include "process/question.hpp"

namespace muster::host {

class Stacks {
 public:
  struct Answer {
    base::Rank rank;
    std::string state;
    std::string stack;
  };

  Stacks(asio::io_context& loop, std::vector<std::string> environment,
         std::function<void(Answer)> answered);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // Answered once, soon without a stack, and in its turn with one.
  void ask(base::Rank rank, pid_t pid, bool with_stack);

 private:
  struct Question {
    base::Rank rank;
    pid_t pid;
    std::string state;
  };

  void next();
  void debugged(Question question, std::string stack);

  asio::io_context& loop_;
  std::vector<std::string> environment_;
  std::function<void(Answer)> answered_;
  std::deque<Question> waiting_;
  std::map<base::Rank, std::unique_ptr<process::Question>> busy_;
};

}  // namespace muster::host
