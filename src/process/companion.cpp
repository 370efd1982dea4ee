// A child whose loop runs only while somebody asks.
#include "process/companion.hpp"

#include <asio/io_context.hpp>
#include <csignal>

namespace muster::process {

Companion::Companion() : loop_(std::make_unique<asio::io_context>(1)) {}

Companion::~Companion() = default;

base::Result<std::unique_ptr<Companion>> Companion::start(
    const std::vector<std::string>& words, const std::vector<std::string>& environment,
    int when_caller_ends) {
  std::unique_ptr<Companion> made(new Companion);
  auto child = Child::start(
      *made->loop_, words, environment,
      [&own = *made](ChildEnd end) {
        own.has_ended_ = true;
        own.end_ = end;
      },
      when_caller_ends);
  if (!child) return tl::unexpected(std::move(child.error()));
  made->child_ = std::move(*child);
  return made;
}

// Its number is its own until has_ended() has seen its end.
void Companion::signal(int number) {
  if (!has_ended_) ::kill(child_->pid(), number);
}

bool Companion::has_ended() {
  if (!has_ended_) loop_->poll();
  return has_ended_;
}

bool Companion::await_end(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!has_ended_ && std::chrono::steady_clock::now() < until) loop_->run_one_until(until);
  return has_ended_;
}

}  // namespace muster::process
