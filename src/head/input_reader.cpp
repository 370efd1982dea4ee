// Reads stdin at the ranks' pace. A file is always ready and cannot be waited for: it is read in
// turns.
#include "head/input_reader.hpp"

#include <array>
#include <asio/error.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

#include "process/alarm.hpp"
#include "process/shortage.hpp"

namespace muster::head {

namespace {

constexpr std::size_t kChunk = 64u << 10;
constexpr std::chrono::milliseconds kLookAgain{200};

// A job of a shell that reads its terminal from the background is stopped (SIGTTIN).
bool is_in_background() {
  const pid_t group = ::tcgetpgrp(STDIN_FILENO);  // -1: this is not our terminal
  return group >= 0 && group != ::getpgrp();
}

}  // namespace

class InputReader::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& loop, InputReaderEvents events)
      : loop_(loop), foreground_(loop), events_(std::move(events)) {}

  void on(bool reading) {
    reading_ = reading;
    if (reading_ && !waiting_) wait();
  }

  void stop() {
    reading_ = false;
    events_ = {};
    foreground_.stop();
    std::error_code ignored;
    if (descriptor_) descriptor_->close(ignored);
  }

 private:
  void wait() {
    waiting_ = true;
    if (!pollable_) {
      return asio::post(loop_, [self = shared_from_this()] { self->ready(); });
    }
    // A duplicate, since the descriptor closes what it holds.
    if (!descriptor_) {
      descriptor_.emplace(loop_, process::required(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)));
    }
    descriptor_->async_wait(asio::posix::stream_descriptor::wait_read,
                            [self = shared_from_this()](const std::error_code& error) {
                              if (error == asio::error::operation_aborted) return;
                              // Files and /dev/null cannot be waited for: they are always ready.
                              if (error) self->pollable_ = false;
                              self->ready();
                            });
  }

  void ready() {
    waiting_ = false;
    if (!reading_) return;
    if (!is_in_background()) return read_some();
    waiting_ = true;
    foreground_.after(kLookAgain, [this] { wait(); });
  }

  void read_some() {
    std::array<char, kChunk> buffer;
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return wait();
    if (got <= 0) {
      reading_ = false;
      if (events_.ended) events_.ended();
      return;
    }
    if (events_.bytes) events_.bytes(std::string(buffer.data(), static_cast<std::size_t>(got)));
    if (reading_ && !waiting_) wait();
  }

  asio::io_context& loop_;
  process::Alarm foreground_;
  InputReaderEvents events_;
  std::optional<asio::posix::stream_descriptor> descriptor_;
  bool pollable_ = true;
  bool reading_ = false;
  bool waiting_ = false;
};

InputReader::InputReader(asio::io_context& loop, InputReaderEvents events)
    : impl_(std::make_shared<Impl>(loop, std::move(events))) {}

InputReader::~InputReader() { impl_->stop(); }

void InputReader::on(bool reading) { impl_->on(reading); }

}  // namespace muster::head
