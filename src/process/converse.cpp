// One loop for one child: feeds it, listens to it, and watches the time.
#include "process/converse.hpp"

#include <algorithm>
#include <array>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/write.hpp>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

#include "process/alarm.hpp"
#include "process/child.hpp"
#include "process/shortage.hpp"

namespace muster::process {
namespace {

constexpr std::size_t kErrMax = 65536;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr base::Duration kLook = std::chrono::milliseconds(20);

// A program that does not read is no reason to end this one.
class NoPipeSignal {
 public:
  NoPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~NoPipeSignal() { std::signal(SIGPIPE, before_); }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  void (*before_)(int);
};

class Talk {
 public:
  explicit Talk(const Conversation& conversation)
      : talk_(conversation), in_(loop_), out_(loop_), err_(loop_), limit_(loop_), look_(loop_) {}

  base::Result<Answer> run() {
    auto child =
        Child::start(loop_, talk_.words, talk_.environment, [this](ChildEnd end) { ended(end); });
    if (!child) return tl::unexpected(std::move(child.error()));
    child_ = std::move(*child);
    ChildPipes& pipes = child_->pipes();
    in_.assign(pipes.in.release());
    out_.assign(pipes.out.release());
    err_.assign(pipes.err.release());
    if (!talk_.late_input) {
      feed();
    } else if (!feed_late()) {
      give_up(answer_.is_given_up);
      return std::move(answer_);
    }
    listen(out_, out_piece_, [this](std::string_view bytes) { take_out(bytes); });
    listen(err_, err_piece_, [this](std::string_view bytes) { take_err(bytes); });
    if (talk_.limit > base::Duration(0))
      limit_.after(talk_.limit, [this] { give_up(answer_.is_cut); });
    if (talk_.goes_on) look();
    loop_.run();
    if (failure_) return tl::unexpected(*failure_);
    return std::move(answer_);
  }

 private:
  using Piece = std::array<char, 65536>;

  // A file that cannot be read ends as one that is over; its reader finds out.
  void feed() {
    const ssize_t size = talk_.input < 0 ? 0 : ::read(talk_.input, in_piece_.get(), kPieceBytes);
    if (size <= 0) return close(in_);
    asio::async_write(in_, asio::buffer(in_piece_.get(), static_cast<std::size_t>(size)),
                      life_.bind([this](const std::error_code& error, std::size_t) {
                        if (error) return close(in_);
                        feed();
                      }));
  }

  // The pipe takes it whole, if it may: should this process be killed, all is there or nothing.
  bool feed_late() {
    late_ = talk_.late_input();
    if (!late_) return false;
    (void)::fcntl(in_.native_handle(), F_SETPIPE_SZ, static_cast<int>(late_->size()));
    asio::async_write(in_, asio::buffer(*late_),
                      life_.bind([this](const std::error_code&, std::size_t) { close(in_); }));
    return true;
  }

  template <class Take>
  void listen(asio::posix::stream_descriptor& from, Piece& piece, Take take) {
    from.async_read_some(
        asio::buffer(piece),
        life_.bind([this, &from, &piece, take](const std::error_code& error, std::size_t size) {
          if (error) {
            close(from);
            return maybe_over();
          }
          take(std::string_view(piece.data(), size));
          if (from.is_open()) listen(from, piece, take);
        }));
  }

  void take_out(std::string_view bytes) {
    if (talk_.heard) return talk_.heard(bytes);
    answer_.out += bytes;
    if (answer_.out.size() <= kAnswerMax) return;
    failure_ = base::Error{
        base::Fault::internal, talk_.words.front() + " says more than muster can take", {}, {}};
    stop();
  }

  void take_err(std::string_view bytes) {
    answer_.err += bytes;
    if (answer_.err.size() > 2 * kErrMax) answer_.err.erase(0, answer_.err.size() - kErrMax);
  }

  // What it has said may still be in the pipes; but a process that it left there may hold them.
  void ended(ChildEnd end) {
    answer_.code = end.code;
    answer_.signal = end.signal;
    is_over_ = true;
    limit_.after(std::chrono::seconds(1), [this] { stop(); });
    maybe_over();
  }

  void maybe_over() {
    if (is_over_ && !out_.is_open() && !err_.is_open()) stop();
  }

  void look() {
    look_.after(kLook, [this] {
      if (talk_.goes_on()) return look();
      give_up(answer_.is_given_up);
    });
  }

  void give_up(bool& why) {
    why = true;
    answer_.signal = SIGKILL;
    stop();
  }

  // It is killed first: what it has of its input is not all.
  void stop() {
    life_.end();
    limit_.stop();
    look_.stop();
    child_.reset();
    for (auto* one : {&in_, &out_, &err_}) close(*one);
  }

  static void close(asio::posix::stream_descriptor& one) {
    std::error_code ignored;
    one.close(ignored);
  }

  const Conversation& talk_;
  asio::io_context loop_{1};
  asio::posix::stream_descriptor in_;
  asio::posix::stream_descriptor out_;
  asio::posix::stream_descriptor err_;
  Alarm limit_;
  Alarm look_;
  std::optional<std::string> late_;
  std::unique_ptr<char[]> in_piece_ = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  Piece out_piece_;
  Piece err_piece_;
  std::unique_ptr<Child> child_;
  Answer answer_;
  std::optional<base::Error> failure_;
  bool is_over_ = false;
  Life life_;
};

}  // namespace

base::Result<Answer> converse(const Conversation& conversation) {
  const NoPipeSignal ignored;
  return Talk(conversation).run();
}

}  // namespace muster::process
