// Runs gdb on one task after the other and keeps the lines that are a stack.
#include "host/stacks.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "probe/task_state.hpp"

namespace muster::host {
namespace {

constexpr std::size_t kAtOnce = 4;
constexpr std::size_t kBytesMax = 64u << 10;  // of what gdb says of one task
constexpr auto kDebuggerPatience = std::chrono::seconds(10);

// Nothing of the user's set-up, nothing from the network, no more than 64 frames of a thread.
std::vector<std::string> gdb_words(pid_t pid) {
  return {"gdb",
          "-nx",
          "-batch",
          "-iex",
          "set auto-load off",
          "-iex",
          "set debuginfod enabled off",
          "-p",
          std::to_string(pid),
          "-ex",
          "thread apply all backtrace 64"};
}

// "Thread 1 (...):" and "#0 ..." of all that gdb says.
std::string stack_lines(std::string_view said) {
  std::string lines;
  while (!said.empty()) {
    const std::size_t cut = std::min(said.find('\n'), said.size() - 1) + 1;
    const std::string_view line = said.substr(0, cut);
    if (line.starts_with("Thread ") || line.starts_with("#")) lines += line;
    said.remove_prefix(cut);
  }
  return lines;
}

}  // namespace

Stacks::Stacks(asio::io_context& loop, std::vector<std::string> environment,
               std::function<void(Answer)> answered)
    : loop_(loop), environment_(std::move(environment)), answered_(std::move(answered)) {}

Stacks::~Stacks() = default;

void Stacks::ask(base::Rank rank, pid_t pid, bool with_stack) {
  std::string state = probe::task_state("", pid);  // before a debugger holds it
  if (!with_stack) return answered_({rank, std::move(state), {}});
  waiting_.push_back({rank, pid, std::move(state)});
  next();
}

void Stacks::next() {
  while (busy_.size() < kAtOnce && !waiting_.empty()) {
    const Question question = waiting_.front();
    waiting_.pop_front();
    auto [at, is_new] = busy_.try_emplace(question.rank);
    if (!is_new) continue;
    at->second = std::make_unique<process::Question>(loop_);
    at->second->ask(gdb_words(question.pid), environment_, {kDebuggerPatience, kBytesMax},
                    [this, question](const process::Question::Said& said) {
                      debugged(question, stack_lines(said.out));
                    });
  }
}

void Stacks::debugged(Question question, std::string stack) {
  if (stack.empty()) stack = probe::thread_states("", question.pid);
  busy_.erase(question.rank);
  answered_({question.rank, std::move(question.state), std::move(stack)});
  next();
}

}  // namespace muster::host
