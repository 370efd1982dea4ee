// One process for each direction: neither waits for the other.
#include "link/armoured_program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "link/armour.hpp"
#include "process/companion.hpp"
#include "process/signal_mask.hpp"
#include "process/write_all.hpp"

namespace muster::link {
namespace {

using Convert = std::function<std::string(std::string_view)>;

constexpr int kLookMs = 100;
// What a program has left behind may hold its stdout.
constexpr std::chrono::seconds kLastWords{1};

// 0: nothing is there any more.
ssize_t read_some(int from, std::array<char, 65536>& piece) {
  for (;;) {
    const ssize_t size = ::read(from, piece.data(), piece.size());
    if (size >= 0 || errno != EINTR) return std::max<ssize_t>(size, 0);
  }
}

Convert armours() {
  return [](std::string_view bytes) { return armoured(bytes); };
}

Convert unarmours() {
  return [unarmour = Unarmour()](std::string_view text) mutable { return unarmour.take(text); };
}

// The other process: from our stdin to the program's. It goes with us.
[[noreturn]] void feed(int to, const Convert& convert, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::close(STDOUT_FILENO);
  ::close(STDERR_FILENO);
  std::array<char, 65536> piece;
  while (const ssize_t size = read_some(STDIN_FILENO, piece)) {
    const std::string text = convert({piece.data(), static_cast<std::size_t>(size)});
    if (process::write_all(to, text).error != 0) break;
  }
  ::_exit(0);
}

// From the program to our stdout and stderr.
class Drain {
 public:
  Drain(process::Companion& program, Convert convert)
      : program_(program), convert_(std::move(convert)) {}

  void run() {
    auto until = std::chrono::steady_clock::time_point::max();
    while (is_open() && std::chrono::steady_clock::now() < until) {
      look();
      pass_signal();
      if (!program_.has_ended()) continue;
      until = std::min(until, std::chrono::steady_clock::now() + kLastWords);
    }
    while (!program_.has_ended()) program_.await_end(std::chrono::milliseconds(kLookMs));
  }

 private:
  void pass_signal() {
    const int number = process::waiting_signal();
    if (number == 0) return;
    process::drop_waiting_signals();
    program_.signal(number);
  }

  [[nodiscard]] bool is_open() const { return program_.pipes().out || program_.pipes().err; }

  void look() {
    process::ChildPipes& pipes = program_.pipes();
    std::array<pollfd, 2> wanted = {{{pipes.out.get(), POLLIN, 0}, {pipes.err.get(), POLLIN, 0}}};
    if (::poll(wanted.data(), wanted.size(), kLookMs) <= 0) return;
    if (wanted[0].revents != 0) pass(pipes.out, STDOUT_FILENO, convert_);
    if (wanted[1].revents != 0) pass(pipes.err, STDERR_FILENO, {});
  }

  void pass(process::UniqueFd& from, int to, const Convert& convert) {
    const ssize_t size = read_some(from.get(), piece_);
    if (size == 0) return from.reset();
    const std::string_view bytes(piece_.data(), static_cast<std::size_t>(size));
    const bool good =
        process::write_all(to, convert ? convert(bytes) : std::string(bytes)).error == 0;
    if (!good) from.reset();
  }

  process::Companion& program_;
  Convert convert_;
  std::array<char, 65536> piece_{};
};

}  // namespace

base::Result<int> run_armoured(const std::vector<std::string>& words,
                               const std::vector<std::string>& environment, Side side) {
  const process::HeldSignals held;
  std::signal(SIGPIPE, SIG_IGN);
  auto started = process::Companion::start(words, environment, 0);
  if (!started) return tl::unexpected(started.error());
  process::Companion& program = **started;
  const bool is_head = side == Side::head;
  const pid_t own = ::getpid();
  const pid_t feeder = ::fork();
  if (feeder < 0) return base::fail(base::Fault::internal, {}, "cannot fork");
  if (feeder == 0) feed(program.pipes().in.get(), is_head ? armours() : unarmours(), own);
  program.pipes().in.reset();
  Drain(program, is_head ? unarmours() : armours()).run();
  const process::ChildEnd end = program.end();
  return end.signal != 0 ? 128 + end.signal : end.code;
}

}  // namespace muster::link
