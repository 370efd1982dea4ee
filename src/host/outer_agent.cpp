// A runtime below a guard, two splices, and helpers for the agent inside.
#include "host/outer_agent.hpp"

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/signal_names.hpp"
#include "container/explain.hpp"
#include "container/runtimes.hpp"
#include "host/contain_here.hpp"
#include "host/outside_helpers.hpp"
#include "host/splice.hpp"
#include "link/byte_reader.hpp"
#include "process/alarm.hpp"
#include "process/epilogue.hpp"
#include "process/guard.hpp"
#include "process/heard_meanwhile.hpp"
#include "process/life.hpp"
#include "process/pipe.hpp"
#include "process/shortage.hpp"
#include "process/write_all.hpp"
#include "wire/frame.hpp"

namespace muster::host {
namespace {

constexpr process::ProcessId kRuntime = 0;
constexpr std::size_t kErrorsKept = 16u << 10;
constexpr base::Duration kLookEvery{200};
// A container whose agent has nothing more to do, or that has nothing more to say, ends at once.
constexpr base::Duration kPatienceAtEnd = std::chrono::seconds(10);
constexpr base::Duration kSweep = std::chrono::seconds(5);
constexpr base::Duration kLastBytes = std::chrono::milliseconds(500);

void say_of_container(const std::string& what) {
  std::fprintf(stderr, "muster agent: %s\n", what.c_str());
}

process::UniqueFd own(int fd) {
  return process::UniqueFd(process::required(::fcntl(fd, F_DUPFD_CLOEXEC, 3)));
}

// The head has closed its end. What it has sent before may not have been read yet.
bool has_closed(int fd) {
  pollfd source{fd, POLLRDHUP, 0};
  return ::poll(&source, 1, 0) > 0 && (source.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

class Outer {
 public:
  Outer(const Contained& from, const ContainerPlan& plan, container::Command command,
        process::GuardProcess guard, const std::vector<std::string>& environment)
      : from_(from),
        plan_(plan),
        guard_(loop_, std::move(guard), guard_events()),
        timer_(loop_),
        signals_(loop_, SIGTERM, SIGHUP, SIGINT) {
    guard_.remove_at_end(plan.facts.folder);
    guard_.set_grace(base::Duration(from.wanted.grace_ms));
    wait_for_signal();
    start(std::move(command), environment);
  }

  // Why there is no container; nothing: there was one, and it has ended.
  std::optional<base::Error> run() {
    loop_.run();
    return std::move(error_);
  }

 private:
  process::GuardEvents guard_events() {
    process::GuardEvents events;
    events.spawned = [this](const process::Spawned& spawned) {
      if (spawned.pid != 0) return;
      if (spawned.id != kRuntime) return helpers_->ended(spawned.id, {-1, 0});
      fail(process::system_error("cannot start " + plan_.facts.program, spawned.error));
    };
    events.ended = [this](const process::Ended& ended) {
      if (ended.id != kRuntime) return helpers_->ended(ended.id, {ended.code, ended.signal});
      runtime_ended(ended);
    };
    events.lost = [this](process::Lost lost) {
      if (!lost.swept) clean_up_alone();
      fail({base::Fault::lost, "its guard died", {}, {}});
    };
    return events;
  }

  // Guard and warden have been killed.
  void clean_up_alone() {
    (void)process::sweep_descendants(kSweep);
    process::run_epilogue(container::removal_words(plan_.spec, plan_.facts));
  }

  void start(container::Command command, const std::vector<std::string>& environment) {
    auto helpers =
        OutsideHelpers::listen(loop_, plan_.facts.folder, environment, kRuntime + 1,
                               [this](const process::SpawnOrder& order) { guard_.spawn(order); });
    auto in = process::make_pipe();
    auto out = process::make_pipe();
    auto err = process::make_pipe();
    if (!helpers) return fail(helpers.error());
    if (!in || !out || !err) return fail((!in ? in : !out ? out : err).error());
    helpers_ = std::move(*helpers);
    process::SpawnOrder order;
    order.id = kRuntime;
    order.program = command.words.front();
    order.arguments = std::move(command.words);
    order.environment = environment;
    order.environment.insert(order.environment.end(), command.environment.begin(),
                             command.environment.end());
    order.in = in->read.get();
    order.out = out->write.get();
    order.err = err->write.get();
    guard_.spawn(order);
    to_inner_ = std::move(in->write);
    hear(std::move(out->read), std::move(err->read));
    timer_.after(kLookEvery, [this] { look_for_head(); });
  }

  void hear(process::UniqueFd out, process::UniqueFd err) {
    from_inner_ = own(out.get());
    greeting_ = std::make_shared<link::ByteReader>(
        loop_, std::move(out), [this](std::string_view bytes) { skip_noise(bytes); }, nullptr);
    errors_in_ = std::make_shared<link::ByteReader>(
        loop_, std::move(err), [this](std::string_view bytes) { keep(bytes); }, nullptr);
    greeting_->start();
    errors_in_->start();
  }

  // The head reads it, too: the last line of it, should the link break.
  void keep(std::string_view bytes) {
    errors_.append(bytes);
    if (errors_.size() > kErrorsKept) errors_.erase(0, errors_.size() - kErrorsKept);
    if (is_up()) (void)process::write_all(STDERR_FILENO, bytes);
  }

  [[nodiscard]] bool is_up() const { return to_head_ != nullptr; }

  void skip_noise(std::string_view bytes) {
    std::string rest;
    const auto state = noise_.feed(bytes, rest);
    if (state == wire::NoiseFilter::State::too_much) {
      return fail({base::Fault::cannot_start,
                   "its container says much, but not muster's greeting",
                   "is the image's entrypoint in the way? see --container-option",
                   {}});
    }
    if (state != wire::NoiseFilter::State::found) return;
    greeting_->close();
    timer_.stop();
    relay(std::move(rest));
  }

  void relay(std::string said) {
    to_inner_splice_ = std::make_unique<Splice>(loop_, own(STDIN_FILENO), std::move(to_inner_),
                                                [this] { head_ended(); });
    to_head_ = std::make_unique<Splice>(loop_, std::move(from_inner_), own(STDOUT_FILENO),
                                        [this] { inner_ended(); });
    to_inner_splice_->start(from_.rest);
    to_head_->start(std::move(said));
  }

  // Before there is anything to pass on, nothing is read that would tell.
  void look_for_head() {
    if (has_closed(STDIN_FILENO)) return loop_.stop();
    timer_.after(kLookEvery, [this] { look_for_head(); });
  }

  // The agent in the container sees the end of its stdin, and ends its ranks.
  void head_ended() {
    timer_.after(base::Duration(from_.wanted.grace_ms) + kPatienceAtEnd, [this] { loop_.stop(); });
  }

  void inner_ended() {
    if (runtime_end_) return loop_.stop();
    timer_.after(kPatienceAtEnd, [this] { loop_.stop(); });
  }

  void runtime_ended(const process::Ended& ended) {
    runtime_end_ = ended;
    if (!is_up()) return give_reason();
    // It has cleaned up itself.
    if (ended.signal == 0 && ended.code == 0) guard_.skip_epilogue();
    if (ended.signal != 0) {
      say_of_container(fmt::format("{} was killed by signal {}",
                                   container::name_of(plan_.spec.runtime), ended.signal));
    }
    timer_.after(kLastBytes, [this] { loop_.stop(); });
  }

  void give_reason() {
    greeting_->drain();
    errors_in_->drain();
    if (is_up()) return timer_.after(kLastBytes, [this] { loop_.stop(); });
    fail(container::explain(plan_.spec,
                            {runtime_end_->code, runtime_end_->signal, errors_, noise_.noise()}));
  }

  // Once agent and head speak, the head takes no refusal from us: it reads what we say on stderr.
  void fail(base::Error error) {
    if (is_up()) {
      say_of_container(error.what);
    } else if (!error_) {
      error_ = std::move(error);
    }
    loop_.stop();
  }

  // Somebody wants this agent gone: its ranks go first.
  void wait_for_signal() {
    signals_.async_wait(life_.bind([this](const std::error_code& error, int number) {
      if (error) return;
      say_of_container(fmt::format("ended by {}", base::signal_name(number)));
      if (!is_up()) return loop_.stop();
      to_inner_splice_->close();
      wait_for_signal();
    }));
  }

  asio::io_context loop_{1};
  const Contained& from_;
  const ContainerPlan& plan_;
  process::Guard guard_;
  process::Alarm timer_;
  asio::signal_set signals_;
  std::unique_ptr<OutsideHelpers> helpers_;
  process::UniqueFd to_inner_;    // until there is somebody who listens
  process::UniqueFd from_inner_;  // likewise
  std::shared_ptr<link::ByteReader> greeting_;
  std::shared_ptr<link::ByteReader> errors_in_;
  wire::NoiseFilter noise_;
  std::string errors_;
  std::unique_ptr<Splice> to_inner_splice_;
  std::unique_ptr<Splice> to_head_;  // there once the agent in the container has greeted
  std::optional<process::Ended> runtime_end_;
  std::optional<base::Error> error_;
  process::Life life_;
};

// ---- when there is no container -----------------------------------------------------------------

// Nothing, at the end of stdin.
std::optional<std::string> read_more() {
  std::string bytes(65536, '\0');
  for (;;) {
    pollfd source{STDIN_FILENO, POLLIN, 0};
    if (::poll(&source, 1, -1) < 0 && errno != EINTR) return std::nullopt;
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
}

// Every run that greets this host hears why; the agent ends when nobody does so any more.
int refuse(const base::Error& error, const std::string& rest) {
  wire::AgentReader reader;
  reader.feed(rest);
  for (;;) {
    const auto message = reader.next();
    if (!message) return base::exit_code(error.fault);
    if (!*message) {
      const auto more = read_more();
      if (!more) return base::exit_code(error.fault);
      reader.feed(*more);
    } else if (std::holds_alternative<wire::Hello>(**message)) {
      std::string frame;
      wire::append(frame, wire::ToHead{wire::Refused{error}}, reader.address());
      if (process::write_all(STDOUT_FILENO, frame).error != 0) return base::exit_code(error.fault);
    } else if (std::holds_alternative<wire::Bye>(**message)) {
      return base::exit_code(error.fault);
    }
  }
}

std::optional<base::Error> run_container(const Contained& contained,
                                         const std::vector<std::string>& environment) {
  const auto plan = contain_here(contained.wanted, environment);
  if (!plan) return plan.error();
  auto command = container::container_words(plan->spec, plan->facts);
  if (!command) return command.error();
  auto guard = process::fork_guard(container::removal_words(plan->spec, plan->facts));
  if (!guard) return guard.error();
  const auto ran = process::caught([&] {
    return Outer(contained, *plan, std::move(*command), std::move(*guard), environment).run();
  });
  process::remove_meanwhile(plan->facts.folder);
  return ran ? *ran : ran.error();
}

}  // namespace

int run_outer_agent(const Contained& contained, const std::vector<std::string>& environment) {
  const auto error = run_container(contained, environment);
  return error ? refuse(*error, contained.rest) : 0;
}

}  // namespace muster::host
