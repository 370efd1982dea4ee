// Writes to stdout and stderr at their readers' pace.
#include "head/console_writer.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <unistd.h>

#include "process/reopened.hpp"
#include "process/unique_fd.hpp"

namespace muster::head {

class ConsoleWriter::Sink : public std::enable_shared_from_this<Sink> {
 public:
  // What was dropped because it could not be written, and the errno of the first time.
  struct Lost {
    std::uint64_t bytes = 0;
    int error = 0;
  };
  struct Events {
    std::function<void()> relieved = nullptr;
    std::function<void()> closed = nullptr;
    std::function<void()> failed = nullptr;  // the first time that bytes were lost
  };

  Sink(asio::io_context& loop, int fd, Events events)
      : loop_(loop), fd_(fd), own_(process::reopened(fd)), events_(std::move(events)) {
    if (own_) fd_ = own_.get();
  }

  void write(std::string_view bytes) {
    if (broken_ || bytes.empty()) return;
    has_open_line_ = bytes.back() != '\n';
    if (queue_.size() == at_) bytes.remove_prefix(put(bytes));
    if (bytes.empty() || broken_) return;
    queue_.append(bytes);
    wait();
  }

  [[nodiscard]] std::size_t waiting() const { return queue_.size() - at_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] const Lost& lost() const { return lost_; }
  [[nodiscard]] bool has_open_line() const { return has_open_line_; }

  void drain(std::function<void()> done) {
    if (waiting() == 0) return done();
    drained_ = std::move(done);
  }

  void stop() {
    events_ = {};
    drained_ = nullptr;
    if (descriptor_) (void)descriptor_->release();
    descriptor_.reset();
  }

 private:
  // How many bytes are settled: the kernel took them, or will never take them.
  std::size_t put(std::string_view bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t put = ::write(fd_, bytes.data() + done, bytes.size() - done);
      if (put >= 0) {
        done += static_cast<std::size_t>(put);
        taken_ += static_cast<std::uint64_t>(put);
      } else if (errno == EAGAIN) {
        break;
      } else if (errno != EINTR) {
        lose(errno, bytes.size() - done);
        return bytes.size();
      }
    }
    return done;
  }

  // A reader that has gone will not come back (a terminal that is gone says EIO); a disk may have
  // room again.
  void lose(int error, std::size_t bytes) {
    if (error == EPIPE || (error == EIO && own_)) return give_up();
    const bool is_first = lost_.bytes == 0;
    if (is_first) lost_.error = error;
    lost_.bytes += bytes;
    if (is_first && events_.failed) events_.failed();
  }

  void give_up() {
    broken_ = true;
    queue_.clear();
    at_ = 0;
    if (const auto closed = std::exchange(events_.closed, nullptr)) closed();
  }

  void wait() {
    if (waiting_) return;
    if (!descriptor_) descriptor_.emplace(loop_, ::fcntl(fd_, F_DUPFD_CLOEXEC, 3));
    waiting_ = true;
    descriptor_->async_wait(asio::posix::stream_descriptor::wait_write,
                            [self = shared_from_this()](const std::error_code& error) {
                              self->waiting_ = false;
                              if (!error) self->flush();
                            });
  }

  void flush() {
    const bool was_high = waiting() > kLow;
    at_ += put(std::string_view(queue_).substr(at_));
    if (broken_) at_ = queue_.size();
    if (at_ == queue_.size() || at_ > kHigh) {
      queue_.erase(0, at_);
      at_ = 0;
    }
    if (waiting() > 0) wait();
    if (was_high && waiting() <= kLow && events_.relieved) events_.relieved();
    if (waiting() == 0) {
      if (const auto done = std::exchange(drained_, nullptr)) done();
    }
  }

  asio::io_context& loop_;
  int fd_;
  process::UniqueFd own_;
  std::optional<asio::posix::stream_descriptor> descriptor_;  // made when first needed
  std::string queue_;
  std::size_t at_ = 0;
  std::uint64_t taken_ = 0;
  bool waiting_ = false;
  bool broken_ = false;
  bool has_open_line_ = false;  // of what was given, whether it is written yet or not
  Lost lost_;
  Events events_;
  std::function<void()> drained_;
};

ConsoleWriter::ConsoleWriter(asio::io_context& loop, const std::function<void()>& relieved,
                             std::function<void()> closed)
    : out_(std::make_shared<Sink>(loop, STDOUT_FILENO,
                                  Sink::Events{relieved, std::move(closed), [this] { tell(); }})) {
  err_ = process::same_place(STDOUT_FILENO, STDERR_FILENO)
             ? out_
             : std::make_shared<Sink>(loop, STDERR_FILENO, Sink::Events{.relieved = relieved});
}

ConsoleWriter::~ConsoleWriter() {
  out_->stop();
  err_->stop();
}

void ConsoleWriter::write(machine::SinkId sink, std::string_view bytes) {
  (sink == kOut ? out_ : err_)->write(bytes);
}

void ConsoleWriter::begin_line(machine::SinkId sink) {
  const auto& to = sink == kOut ? out_ : err_;
  if (to->has_open_line()) to->write("\n");
}

// Where both lead to one place there is nobody to tell, but by the exit code.
void ConsoleWriter::tell() {
  if (err_ == out_) return;
  begin_line(kErr);
  err_->write(fmt::format("muster: cannot write to stdout: {}; the ranks continue\n",
                          std::strerror(out_->lost().error)));
}

std::vector<std::string> ConsoleWriter::troubles() const {
  std::vector<std::string> troubles;
  const auto add = [&](std::string_view name, const Sink::Lost& lost) {
    if (lost.bytes == 0) return;
    troubles.push_back(fmt::format("cannot write to {}: {}; {} byte{} lost", name,
                                   std::strerror(lost.error), lost.bytes,
                                   lost.bytes == 1 ? " is" : "s are"));
  };
  add("stdout", out_->lost());
  if (err_ != out_) add("stderr", err_->lost());
  return troubles;
}

std::size_t ConsoleWriter::waiting() const {
  return out_->waiting() + (err_ == out_ ? 0 : err_->waiting());
}

std::uint64_t ConsoleWriter::taken() const {
  return out_->taken() + (err_ == out_ ? 0 : err_->taken());
}

bool ConsoleWriter::congested() const { return out_->waiting() > kHigh || err_->waiting() > kHigh; }

void ConsoleWriter::drain(std::function<void()> done) {
  out_->drain([err = err_, done = std::move(done)] { err->drain(done); });
}

}  // namespace muster::head
