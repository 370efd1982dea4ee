// The way of a task's bytes from its pipe to whoever forwards them.
#include "host/task_output.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace muster::host {

namespace {
constexpr int kReadsPerTurn = 4;  // then the others have their turn
}

TaskOutput::TaskOutput(ReadableSet& readable, process::UniqueFd fd, std::uint32_t credit,
                       std::span<char> buffer, Bytes bytes, Ended ended)
    : readable_(readable),
      pipe_(std::move(fd)),
      credit_(credit),
      buffer_(buffer),
      bytes_(std::move(bytes)),
      ended_(std::move(ended)) {}

void TaskOutput::add_credit(std::uint32_t bytes) {
  credit_ += bytes;
  if (draining_) return read_some();
  wait();
}

void TaskOutput::drain() {
  if (!open_) return;
  draining_ = true;
  stop_blocking();
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
  readable_.forget_closed(std::exchange(ticket_, 0));
  pipe_.reset();
}

std::size_t TaskOutput::allowance() const {
  if (discarding_) return buffer_.size();
  return static_cast<std::size_t>(std::min<std::uint64_t>(credit_, buffer_.size()));
}

void TaskOutput::wait() {
  if (!open_ || allowance() == 0) return pause();
  if (ticket_ != 0) return;
  ticket_ = readable_.watch(pipe_.get(), [self = shared_from_this()] { self->read_some(); });
}

void TaskOutput::pause() { readable_.forget(std::exchange(ticket_, 0)); }

// A pipe that is read only when it has something need not be told; most live and die so.
void TaskOutput::stop_blocking() {
  if (std::exchange(blocks_, false)) ::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
}

void TaskOutput::read_some() {
  for (int turn = 0; open_ && allowance() > 0; ++turn) {
    if (turn == kReadsPerTurn && !draining_) break;
    const std::size_t wanted = allowance();
    const ssize_t got = ::read(pipe_.get(), buffer_.data(), wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && !draining_) break;
    if (got <= 0) return end();
    if (!discarding_) {
      credit_ -= static_cast<std::uint64_t>(got);
      bytes_(std::string_view(buffer_.data(), static_cast<std::size_t>(got)));
    }
    // A short read has most likely emptied the pipe: asking again would cost a call for nothing.
    if (static_cast<std::size_t>(got) < wanted && !draining_) break;
    stop_blocking();
  }
  if (!draining_) wait();
}

void TaskOutput::end() {
  const auto self = shared_from_this();
  const Ended ended = std::move(ended_);
  close();
  if (ended) ended();
}

}  // namespace muster::host
