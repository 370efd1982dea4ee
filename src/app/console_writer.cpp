// Writes to stdout and stderr at their readers' pace.
#include "app/console_writer.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "process/unique_fd.hpp"

namespace muster::app {

namespace {

bool same_place(int a, int b) {
  struct stat first {};
  struct stat second {};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino && first.st_rdev == second.st_rdev;
}

// An own, non-blocking descriptor for a pipe or terminal; nothing for other kinds or when refused.
process::UniqueFd reopened(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return {};
  if (!S_ISFIFO(info.st_mode) && ::isatty(fd) == 0) return {};
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return process::UniqueFd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

}  // namespace

class ConsoleWriter::Sink : public std::enable_shared_from_this<Sink> {
 public:
  Sink(asio::io_context& loop, int fd, std::function<void()> relieved, std::function<void()> closed)
      : loop_(loop),
        fd_(fd),
        own_(reopened(fd)),
        relieved_(std::move(relieved)),
        closed_(std::move(closed)) {
    if (own_) fd_ = own_.get();
  }

  void write(std::string_view bytes) {
    if (broken_) return;
    if (queue_.size() == at_) bytes.remove_prefix(put(bytes));
    if (bytes.empty() || broken_) return;
    queue_.append(bytes);
    wait();
  }

  [[nodiscard]] std::size_t waiting() const { return queue_.size() - at_; }

  void drain(std::function<void()> done) {
    if (waiting() == 0) return done();
    drained_ = std::move(done);
  }

  void stop() {
    relieved_ = closed_ = drained_ = nullptr;
    if (descriptor_) (void)descriptor_->release();
    descriptor_.reset();
  }

 private:
  // How many bytes the kernel took; all of them when nobody reads any more.
  std::size_t put(std::string_view bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t put = ::write(fd_, bytes.data() + done, bytes.size() - done);
      if (put >= 0) {
        done += static_cast<std::size_t>(put);
      } else if (errno == EAGAIN) {
        break;
      } else if (errno != EINTR) {
        give_up();
        return bytes.size();
      }
    }
    return done;
  }

  void give_up() {
    broken_ = true;
    queue_.clear();
    at_ = 0;
    if (const auto closed = std::exchange(closed_, nullptr)) closed();
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
    if (was_high && waiting() <= kLow && relieved_) relieved_();
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
  bool waiting_ = false;
  bool broken_ = false;
  std::function<void()> relieved_;
  std::function<void()> closed_;
  std::function<void()> drained_;
};

ConsoleWriter::ConsoleWriter(asio::io_context& loop, const std::function<void()>& relieved,
                             std::function<void()> closed)
    : out_(std::make_shared<Sink>(loop, STDOUT_FILENO, relieved, std::move(closed))) {
  err_ = same_place(STDOUT_FILENO, STDERR_FILENO)
             ? out_
             : std::make_shared<Sink>(loop, STDERR_FILENO, relieved, nullptr);
}

ConsoleWriter::~ConsoleWriter() {
  out_->stop();
  err_->stop();
}

void ConsoleWriter::write(machine::SinkId sink, std::string_view bytes) {
  (sink == kOut ? out_ : err_)->write(bytes);
}

bool ConsoleWriter::congested() const { return out_->waiting() > kHigh || err_->waiting() > kHigh; }

void ConsoleWriter::drain(std::function<void()> done) {
  out_->drain([err = err_, done = std::move(done)] { err->drain(done); });
}

}  // namespace muster::app
