// The way of the launcher's input into a task's pipe.
#include "host/task_input.hpp"

#include <cerrno>
#include <unistd.h>

namespace muster::host {

TaskInput::TaskInput(asio::io_context& loop, Taken taken) : pipe_(loop), taken_(std::move(taken)) {}

void TaskInput::open(process::UniqueFd fd) {
  pipe_.assign(fd.release());
  pipe_.non_blocking(true);
  flush();
}

void TaskInput::write(std::string_view bytes) {
  if (!wanted_) return took(bytes.size());
  queue_.append(bytes);
  if (!waiting_) flush();
}

void TaskInput::finish() {
  finishing_ = true;
  if (!waiting_) flush();
}

void TaskInput::close() {
  wanted_ = false;
  taken_ = nullptr;
  std::error_code ignored;
  pipe_.close(ignored);
}

void TaskInput::took(std::size_t bytes) {
  if (const Taken taken = taken_) taken(static_cast<std::uint32_t>(bytes));  // it may close us
}

void TaskInput::flush() {
  if (!pipe_.is_open()) return;
  while (wanted_ && !queue_.empty()) {
    const ssize_t put = ::write(pipe_.native_handle(), queue_.data(), queue_.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {
      waiting_ = true;
      pipe_.async_wait(asio::posix::stream_descriptor::wait_write,
                       [self = shared_from_this()](const std::error_code& error) {
                         self->waiting_ = false;
                         if (!error) self->flush();
                       });
      return;
    }
    // The task has closed its stdin: whatever is left is nobody's.
    const std::size_t gone = put < 0 ? queue_.size() : static_cast<std::size_t>(put);
    queue_.erase(0, gone);
    if (put < 0) {
      wanted_ = false;
      std::error_code ignored;
      pipe_.close(ignored);
    }
    took(gone);
  }
  if (finishing_ && wanted_) close();
}

}  // namespace muster::host
