// The way of a task's bytes from its pipe to whoever forwards them.
#include "app/task_output.hpp"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace muster::app {

namespace {
constexpr int kReadsPerTurn = 4;  // then the others have their turn
}

TaskOutput::TaskOutput(asio::io_context& loop, process::UniqueFd fd, std::uint32_t credit,
                       std::span<char> buffer, Bytes bytes, Ended ended)
    : pipe_(loop, fd.release()),
      credit_(credit),
      buffer_(buffer),
      bytes_(std::move(bytes)),
      ended_(std::move(ended)) {
  pipe_.non_blocking(true);
}

void TaskOutput::add_credit(std::uint32_t bytes) {
  credit_ += bytes;
  if (draining_) return read_some();
  wait();
}

void TaskOutput::drain() {
  draining_ = true;
  read_some();
}

void TaskOutput::discard() {
  discarding_ = true;
  if (draining_) return read_some();
  wait();
}

void TaskOutput::close() {
  open_ = false;
  bytes_ = nullptr;
  ended_ = nullptr;
  std::error_code ignored;
  pipe_.close(ignored);
}

std::size_t TaskOutput::allowance() const {
  if (discarding_) return buffer_.size();
  return static_cast<std::size_t>(std::min<std::uint64_t>(credit_, buffer_.size()));
}

void TaskOutput::wait() {
  if (!open_ || waiting_ || allowance() == 0) return;
  waiting_ = true;
  pipe_.async_wait(asio::posix::stream_descriptor::wait_read,
                   [self = shared_from_this()](const std::error_code& error) {
                     self->waiting_ = false;
                     if (!error) self->read_some();
                   });
}

void TaskOutput::read_some() {
  for (int turn = 0; open_ && allowance() > 0; ++turn) {
    if (turn == kReadsPerTurn && !draining_) break;
    const std::size_t wanted = allowance();
    const ssize_t got = ::read(pipe_.native_handle(), buffer_.data(), wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && !draining_) break;
    if (got <= 0) return end();
    if (!discarding_) {
      credit_ -= static_cast<std::uint64_t>(got);
      bytes_(std::string_view(buffer_.data(), static_cast<std::size_t>(got)));
    }
    // A short read has most likely emptied the pipe: asking again would cost a call for nothing.
    if (static_cast<std::size_t>(got) < wanted && !draining_) break;
  }
  if (!draining_) wait();
}

void TaskOutput::end() {
  const auto self = shared_from_this();
  const Ended ended = std::move(ended_);
  close();
  if (ended) ended();
}

}  // namespace muster::app
