// Three lanes in one loop: none waits for another.
#include "link/armoured_program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <functional>
#include <poll.h>
#include <unistd.h>

#include "link/armour.hpp"
#include "process/companion.hpp"
#include "process/signal_mask.hpp"

namespace muster::link {
namespace {

using Convert = std::function<std::string(std::string_view)>;
using Clock = std::chrono::steady_clock;

constexpr int kLookMs = 100;
constexpr std::chrono::milliseconds kEndLook{20};  // signals are not seen meanwhile
// What a program has left behind may hold its stdout.
constexpr std::chrono::seconds kLastWords{1};

Convert armours() {
  return [](std::string_view bytes) { return armoured(bytes); };
}

Convert unarmours() {
  return [unarmour = Unarmour()](std::string_view text) mutable { return unarmour.take(text); };
}

// From one descriptor to another; reads on once all has been written.
class Lane {
 public:
  Lane(int from, int to, Convert convert) : from_(from), to_(to), convert_(std::move(convert)) {}

  [[nodiscard]] bool is_over() const { return has_ended_ && waiting_.empty(); }

  [[nodiscard]] pollfd wanted() const {
    if (is_over()) return {-1, 0, 0};
    return waiting_.empty() ? pollfd{from_, POLLIN, 0} : pollfd{to_, POLLOUT, 0};
  }

  void go_on() { waiting_.empty() ? read() : write(); }

 private:
  void read() {
    std::array<char, 65536> piece;
    const ssize_t size = ::read(from_, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) return;
    has_ended_ = size <= 0;
    if (!has_ended_) waiting_ = convert_({piece.data(), static_cast<std::size_t>(size)});
  }

  // A pipe that is ready takes so much without blocking (pipe(7)).
  void write() {
    const ssize_t size =
        ::write(to_, waiting_.data(), std::min<std::size_t>(waiting_.size(), PIPE_BUF));
    if (size < 0 && errno == EINTR) return;
    waiting_.erase(0, size < 0 ? std::string::npos : static_cast<std::size_t>(size));
    has_ended_ = has_ended_ || size < 0;
  }

  int from_;
  int to_;
  Convert convert_;
  std::string waiting_;
  bool has_ended_ = false;
};

class Between {
 public:
  Between(process::Companion& program, bool is_head)
      : program_(program),
        in_(STDIN_FILENO, program.pipes().in.get(), is_head ? armours() : unarmours()),
        out_(program.pipes().out.get(), STDOUT_FILENO, is_head ? unarmours() : armours()),
        err_(program.pipes().err.get(), STDERR_FILENO,
             [](std::string_view bytes) { return std::string(bytes); }) {}

  void run() {
    auto until = Clock::time_point::max();
    while (!(out_.is_over() && err_.is_over()) && Clock::now() < until) {
      go_on();
      pass_signal();
      if (program_.has_ended()) until = std::min(until, Clock::now() + kLastWords);
    }
    while (!program_.await_end(kEndLook)) pass_signal();
  }

 private:
  void go_on() {
    const std::array<Lane*, 3> lanes = {&in_, &out_, &err_};
    std::array<pollfd, 4> wanted{};
    std::ranges::transform(lanes, wanted.begin(), [](const Lane* one) { return one->wanted(); });
    wanted.back() = {signals_.get(), POLLIN, 0};
    if (::poll(wanted.data(), wanted.size(), kLookMs) <= 0) return;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (wanted[i].revents != 0) lanes[i]->go_on();
    }
    if (in_.is_over()) program_.pipes().in.reset();
  }

  void pass_signal() {
    const int number = process::waiting_signal();
    if (number == 0) return;
    process::drop_waiting_signals();
    program_.signal(number);
  }

  process::Companion& program_;
  process::UniqueFd signals_ = process::sight_of_signals();
  Lane in_;
  Lane out_;
  Lane err_;
};

}  // namespace

base::Result<int> run_armoured(const std::vector<std::string>& words,
                               const std::vector<std::string>& environment, Side side) {
  const process::HeldSignals held;
  std::signal(SIGPIPE, SIG_IGN);
  auto program = process::Companion::start(words, environment, 0);
  if (!program) return tl::unexpected(program.error());
  Between(**program, side == Side::head).run();
  const process::ChildEnd end = (*program)->end();
  return end.signal != 0 ? 128 + end.signal : end.code;
}

}  // namespace muster::link
