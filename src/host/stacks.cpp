// Runs gdb on one task after the other and keeps the lines that are a stack.
#include "host/stacks.hpp"

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "probe/task_state.hpp"
#include "process/alarm.hpp"
#include "process/child.hpp"

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

// One gdb at work. `done` comes once, from the loop, with what it said.
class Stacks::Debugger : public std::enable_shared_from_this<Debugger> {
 public:
  Debugger(asio::io_context& loop, std::function<void(std::string)> done)
      : loop_(loop), timer_(loop), out_(loop), done_(std::move(done)) {}

  // Nothing more is heard of it, and gdb is ended.
  void stop() {
    done_ = nullptr;
    timer_.stop();
    child_.reset();
    std::error_code ignored;
    out_.close(ignored);
  }

  void start(pid_t pid, const std::vector<std::string>& environment) {
    auto child = process::Child::start(loop_, gdb_words(pid), environment, {});
    if (!child) return asio::post(loop_, [self = shared_from_this()] { self->finish(); });
    child_ = std::move(*child);
    out_.assign(child_->pipes().out.release());
    child_->pipes().in.reset();
    timer_.after(kDebuggerPatience, [this] { finish(); });
    read();
  }

 private:
  void read() {
    out_.async_read_some(
        asio::buffer(buffer_),
        [self = shared_from_this()](const std::error_code& error, std::size_t size) {
          if (!self->done_) return;
          self->said_.append(self->buffer_.data(), size);
          if (error || self->said_.size() > kBytesMax) return self->finish();
          self->read();
        });
  }

  void finish() {
    if (!done_) return;  // an answer has been given
    const auto done = std::exchange(done_, nullptr);
    stop();  // a gdb that still runs lets go of the task
    done(stack_lines(said_));
  }

  asio::io_context& loop_;
  process::Alarm timer_;
  asio::posix::stream_descriptor out_;
  std::function<void(std::string)> done_;
  std::unique_ptr<process::Child> child_;
  std::array<char, 4096> buffer_{};
  std::string said_;
};

Stacks::Stacks(asio::io_context& loop, std::vector<std::string> environment,
               std::function<void(Answer)> answered)
    : loop_(loop), environment_(std::move(environment)), answered_(std::move(answered)) {}

Stacks::~Stacks() {
  for (const auto& one : busy_) one.second->stop();
}

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
    at->second = std::make_shared<Debugger>(
        loop_, [this, question](std::string stack) { debugged(question, std::move(stack)); });
    at->second->start(question.pid, environment_);
  }
}

void Stacks::debugged(Question question, std::string stack) {
  if (stack.empty()) stack = probe::thread_states("", question.pid);
  busy_.erase(question.rank);
  answered_({question.rank, std::move(question.state), std::move(stack)});
  next();
}

}  // namespace muster::host
