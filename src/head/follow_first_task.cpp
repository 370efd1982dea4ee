// Tries all ports at which task 0 may be, over and over, until one of them tells the end.
#include <algorithm>
#include <asio/read_until.hpp>
#include <asio/write.hpp>
#include <csignal>
#include <memory>
#include <netinet/tcp.h>
#include <optional>
#include <unistd.h>
#include <vector>

#include "head/input_reader.hpp"
#include "head/step_tasks.hpp"
#include "link/step_tasks.hpp"
#include "probe/resolve.hpp"
#include "process/alarm.hpp"
#include "process/signal_mask.hpp"
#include "view/waiting.hpp"

namespace muster::head {
namespace {

using asio::ip::tcp;
using base::Fault;
using base::Result;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr base::Duration kNextConnect = 100ms;  // at first
constexpr int kTriesLeast = 8;                  // within the patience
constexpr base::Duration kNextMost = 2s;        // task 0 may listen for 5 s only
constexpr base::Duration kNextName = 1s;
constexpr base::Duration kProgress = 10s;
constexpr base::Duration kMayReturn = 5s;

// A host that is cut off is noticed within half a minute: idle, then so many questions, s apart.
constexpr int kIdle = 15;
constexpr int kInterval = 5;
constexpr int kQuestions = 3;

void keep_alive(tcp::socket& socket) {
  using Idle = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using Interval = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  using Questions = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPCNT>;
  std::error_code ignored;
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  socket.set_option(Idle(kIdle), ignored);
  socket.set_option(Interval(kInterval), ignored);
  socket.set_option(Questions(kQuestions), ignored);
}

void leave_signals_to_first_task() {
  process::ignore_signals_for_ranks();
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) ::signal(number, SIG_IGN);
}

class Following {
 public:
  Following(const model::StepPlace& place, const FollowOptions& options)
      : place_(place),
        options_(options),
        input_(loop_, {[](const std::string&) {}, [] {}}),
        limit_(loop_),
        progress_(loop_),
        pause_(loop_) {}

  Result<int> run() {
    limit_.after(options_.patience, [this] { give_up(); });
    progress_.after(kProgress, [this] { tell_progress(); });
    input_.on(options_.drains_input);
    find();
    loop_.run();
    return code_ ? *code_ : without_answer();
  }

 private:
  // At one port of one address.
  struct Attempt {
    Attempt(asio::io_context& loop, tcp::endpoint at)
        : where(std::move(at)), socket(loop), pause(loop) {}
    tcp::endpoint where;
    tcp::socket socket;
    process::Alarm pause;
    base::Duration next = kNextConnect;
    std::string said;
    bool is_pending = false;
    bool is_connected = false;
  };

  Result<int> without_answer() {
    // A full queue of those that wait for task 0 does not answer either.
    const bool is_silent =
        std::ranges::any_of(attempts_, [](const auto& one) { return one->is_pending; });
    if (!was_there_ && (is_silent || !is_reached_) && !attempts_.empty()) {
      options_.say(
          fmt::format("task 0 of the step, on {}, cannot be reached from here ({}), and is not "
                      "waited for",
                      place_.first_host, last_));
      return 0;
    }
    const std::string_view is = was_there_ ? "is gone" : "is not there";
    return base::fail(Fault::unreachable,
                      "its own output says why; all tasks must call muster with the same words",
                      "task 0 of the step, on {}, {}: {}", place_.first_host, is, last_);
  }

  void find() {
    const auto addresses = probe::resolve(place_.first_host);
    if (!addresses) {
      last_ = addresses.error().what;
      return pause_.after(kNextName, [this] { find(); });
    }
    for (const std::string& text : *addresses) {
      std::error_code error;
      const auto address = asio::ip::make_address(text, error);
      if (!error) add(address);
    }
    for (const auto& one : attempts_) connect(*one);
  }

  void add(const asio::ip::address& address) {
    for (const std::uint16_t port : link::step_ports(place_.step)) {
      attempts_.push_back(std::make_unique<Attempt>(loop_, tcp::endpoint(address, port)));
    }
  }

  void connect(Attempt& one) {
    one.is_pending = true;
    one.socket.async_connect(one.where, life_.bind([&](const std::error_code& error) {
      one.is_pending = false;
      if (!error) return greet(one);
      is_reached_ |= error == asio::error::connection_refused;
      last_ = error.message();
      again(one);
    }));
  }

  void greet(Attempt& one) {
    leave_signals_to_first_task();
    one.is_connected = was_there_ = true;
    keep_alive(one.socket);
    std::error_code ignored;
    asio::write(one.socket, asio::buffer(link::step_greeting(place_, ::getpid())), ignored);
    asio::async_read_until(one.socket, asio::dynamic_buffer(one.said, link::kStepLineMax), '\n',
                           life_.bind([&](const std::error_code& error, std::size_t size) {
                             if (!error) code_ = link::code_of_end(place_, first(one.said, size));
                             code_ ? stop() : lose(one, error);
                           }));
  }

  // Without its newline.
  static std::string_view first(const std::string& said, std::size_t size) {
    return std::string_view(said).substr(0, size - 1);
  }

  // It was another program, or task 0 of a run before this one.
  void lose(Attempt& one, const std::error_code& error) {
    last_ = error ? error.message() : "it is not muster";
    one.is_connected = false;
    one.next = kNextConnect;
    const auto left = std::chrono::ceil<base::Duration>(begun_ + options_.patience - Clock::now());
    limit_.after(std::max(left, kMayReturn), [this] { give_up(); });
    again(one);
  }

  void again(Attempt& one) {
    std::error_code ignored;
    one.socket.close(ignored);
    one.said.clear();
    one.pause.after(one.next, [this, &one] { connect(one); });
    // The host may have as many that try as there are tasks.
    one.next = std::min({2 * one.next, options_.patience / kTriesLeast, kNextMost});
  }

  void give_up() {
    const bool is_there =
        std::ranges::any_of(attempts_, [](const auto& one) { return one->is_connected; });
    if (!is_there) stop();
  }

  void tell_progress() {
    if (was_there_) return;
    const auto words =
        fmt::format("waiting for task 0 of the step, on {}: {}", place_.first_host, last_);
    const auto waited = std::chrono::floor<base::Duration>(Clock::now() - begun_);
    if (const auto told = view::Waiting(options_.patience).tell(words, waited)) options_.say(*told);
  }

  void stop() {
    life_.end();
    loop_.stop();
  }

  const model::StepPlace& place_;
  const FollowOptions& options_;
  asio::io_context loop_{1};
  InputReader input_;
  process::Alarm limit_;
  process::Alarm progress_;
  process::Alarm pause_;
  std::vector<std::unique_ptr<Attempt>> attempts_;
  Clock::time_point begun_ = Clock::now();
  bool is_reached_ = false;  // the host
  bool was_there_ = false;
  std::string last_ = "no answer yet";
  std::optional<int> code_;
  process::Life life_;
};

}  // namespace

Result<int> follow_first_task(const model::StepPlace& place, const FollowOptions& options) {
  return Following(place, options).run();
}

}  // namespace muster::head
