// A real agent with two runs at once: each has a guard of its own, whose sweep ends its processes
// and no others.
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include "host/agent.hpp"
#include "process/descendants.hpp"
#include "process/unique_fd.hpp"
#include "wire/frame.hpp"

namespace muster::host::agent_runs_test {
namespace {

using base::RunIndex;

constexpr RunIndex kOne{1}, kTwo{2};
constexpr base::NodeIndex kHost{4};  // in the head; in each run's plan it is node 0
constexpr int kPatience = 20'000;    // ms

// Leaves a process behind that is in a session of its own, and tells its pid.
constexpr const char* kDaemon = "setsid sleep 300 >/dev/null 2>&1 & echo $!; exec sleep 300";

bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0; }

class AgentWithTwoRuns : public testing::Test {
 protected:
  struct Called {};  // by a head that it has come to
  explicit AgentWithTwoRuns(Called) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    agent_ = ::fork();
    if (agent_ == 0) {
      ::close(ends[0]);
      ::_exit(run_called_agent(process::UniqueFd(ends[1]), {"PATH=/usr/bin:/bin"}, "0"));
    }
    ::close(ends[1]);
    to_agent_ = process::UniqueFd(ends[0]);
    from_agent_ = process::UniqueFd(::fcntl(ends[0], F_DUPFD_CLOEXEC, 0));
  }
  AgentWithTwoRuns() {
    std::array<int, 2> in{}, out{};
    EXPECT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
    agent_ = ::fork();
    if (agent_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (const int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      ::_exit(run_agent({"PATH=/usr/bin:/bin"}, "0"));
    }
    to_agent_ = process::UniqueFd(in[1]);
    from_agent_ = process::UniqueFd(out[0]);
    ::close(in[0]);
    ::close(out[1]);
  }
  ~AgentWithTwoRuns() override {
    to_agent_.reset();
    from_agent_.reset();
    if (agent_ != 0) ::waitpid(agent_, nullptr, 0);
  }

  void say(RunIndex run, const wire::ToAgent& message) {
    std::string bytes;
    wire::append(bytes, message, {run, wire::HostSet(host_)});
    ASSERT_EQ(::write(to_agent_.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }

  // Waits for such a message of a run; keeps output and refusals on the way.
  template <class Message>
  Message hear(RunIndex run) {
    for (;;) {
      for (auto item = reader_.next(); item && *item; item = reader_.next()) {
        const wire::Address from = reader_.address();
        EXPECT_EQ(from.hosts, wire::HostSet(host_));
        if (const auto* view = std::get_if<wire::OutputView>(&**item)) {
          output_[from.run] += view->bytes;
          continue;
        }
        auto& message = std::get<wire::ToHead>(**item);
        const auto* refused = std::get_if<wire::Refused>(&message);
        if (refused != nullptr && !std::is_same_v<Message, wire::Refused>) {
          ADD_FAILURE() << refused->error.what;
          return {};
        }
        if (from.run == run && std::holds_alternative<Message>(message)) {
          return std::get<Message>(std::move(message));
        }
      }
      if (!read_more()) return {};
    }
  }

  bool read_more() {
    pollfd source{from_agent_.get(), POLLIN, 0};
    std::array<char, 65536> bytes{};
    const bool ready = ::poll(&source, 1, kPatience) > 0;
    const ssize_t size = ready ? ::read(from_agent_.get(), bytes.data(), bytes.size()) : 0;
    EXPECT_GT(size, 0) << "the agent is silent, or gone";
    if (size <= 0) return false;
    std::string_view text(bytes.data(), static_cast<std::size_t>(size));
    if (!introduced_) {
      EXPECT_TRUE(text.starts_with(wire::kMagic));
      text.remove_prefix(wire::kMagic.size());
      introduced_ = true;
    }
    reader_.feed(text);
    return true;
  }

  struct Pids {
    pid_t task = 0;
    pid_t daemon = 0;
  };

  // One rank, which leaves a daemon.
  Pids start(RunIndex run) {
    say(run, wire::Hello{wire::kProtocol, fmt::format("job{}", run.value), base::NodeIndex(0), 8000,
                         100, false, 0});
    (void)hear<wire::Welcome>(run);
    wire::World world;
    model::App app;
    app.command = {"sh", "-c", kDaemon};
    world.spec.apps = {app};
    world.spec.wireup = model::Wireup::none;
    world.kept.resize(1);
    world.plan.nodes.resize(1);
    world.plan.nodes.front().host.name = "here";
    world.plan.nodes.front().ranks = {base::Rank(0)};
    world.plan.ranks = {{base::NodeIndex(0), 0, 0}};
    world.point.addresses = {"127.0.0.1"};
    world.window = 65536;
    say(run, world);
    say(run, wire::Prepare{});
    (void)hear<wire::Prepared>(run);
    say(run, wire::Start{});
    Pids pids;
    pids.task = hear<wire::Started>(run).pid;
    while (output_[run].find('\n') == std::string::npos)
      say(run, wire::Ping{}), (void)hear<wire::Pong>(run);
    pids.daemon = std::stoi(output_[run]);
    return pids;
  }

  pid_t agent_ = 0;
  process::UniqueFd to_agent_, from_agent_;
  wire::HeadReader reader_;
  bool introduced_ = false;
  base::NodeIndex host_ = kHost;  // as the head calls it
  std::map<RunIndex, std::string> output_;
};

TEST_F(AgentWithTwoRuns, TheEndOfOneSweepsItsOwnProcesses) {
  const Pids one = start(kOne);
  const Pids two = start(kTwo);
  for (const pid_t pid : {one.task, one.daemon, two.task, two.daemon}) ASSERT_TRUE(is_alive(pid));

  say(kOne, wire::Stop{SIGTERM, 100});
  EXPECT_EQ(hear<wire::Exited>(kOne).exit.signal, SIGTERM);
  EXPECT_TRUE(hear<wire::Stopped>(kOne).leftovers.empty());
  EXPECT_FALSE(is_alive(one.task));
  EXPECT_FALSE(is_alive(one.daemon));
  EXPECT_TRUE(is_alive(two.task));
  EXPECT_TRUE(is_alive(two.daemon));

  say(kOne, wire::Bye{});
  say(kTwo, wire::Ping{});
  (void)hear<wire::Pong>(kTwo);
  EXPECT_TRUE(is_alive(two.daemon)) << "the first run's guard has left";

  say(kTwo, wire::Stop{SIGTERM, 100});
  (void)hear<wire::Stopped>(kTwo);
  EXPECT_FALSE(is_alive(two.task));
  EXPECT_FALSE(is_alive(two.daemon));
  say(kTwo, wire::Bye{});
  int status = -1;
  ASSERT_EQ(::waitpid(std::exchange(agent_, 0), &status, 0) > 0, true);
  EXPECT_EQ(status, 0) << "it ends with its last run";
}

// Its lease is lifted, since between two heads nobody speaks.
TEST_F(AgentWithTwoRuns, OneHeadKeepsTheAgentForTheNextWhichNumbersItAnew) {
  say(kOne, wire::Hello{wire::kProtocol, "one", base::NodeIndex(0), 8000, 100, false, 0});
  (void)hear<wire::Welcome>(kOne);
  say(kOne, wire::Suspend{true});
  host_ = base::NodeIndex(kHost.value + 5);
  const Pids two = start(kTwo);
  say(kOne, wire::Bye{});
  EXPECT_TRUE(is_alive(two.daemon));
  say(kTwo, wire::Stop{SIGTERM, 100});
  (void)hear<wire::Stopped>(kTwo);
  say(kTwo, wire::Bye{});
  int status = -1;
  ASSERT_GT(::waitpid(std::exchange(agent_, 0), &status, 0), 0);
  EXPECT_EQ(status, 0);
}

TEST_F(AgentWithTwoRuns, BothEndWithTheLink) {
  const Pids one = start(kOne);
  const Pids two = start(kTwo);
  to_agent_.reset();
  int status = -1;
  ASSERT_GT(::waitpid(std::exchange(agent_, 0), &status, 0), 0);
  for (const pid_t pid : {one.task, one.daemon, two.task, two.daemon}) EXPECT_FALSE(is_alive(pid));
}

pid_t parent_of(pid_t pid) {
  const auto process = process::read_process(pid);
  return process ? process->parent : 0;
}

// What they leave falls to the agent, which ends it and spares the other run.
TEST_F(AgentWithTwoRuns, OneMayLoseItsGuardAndWarden) {
  const Pids one = start(kOne);
  const Pids two = start(kTwo);
  const pid_t guard = parent_of(one.task);
  const pid_t warden = parent_of(guard);
  ASSERT_EQ(parent_of(warden), agent_);
  ::kill(warden, SIGKILL);
  ::kill(guard, SIGKILL);
  (void)hear<wire::Refused>(kOne);
  (void)hear<wire::Stopped>(kOne);
  EXPECT_FALSE(is_alive(one.task));
  EXPECT_FALSE(is_alive(one.daemon));
  EXPECT_TRUE(is_alive(two.task));
  EXPECT_TRUE(is_alive(two.daemon));
  say(kTwo, wire::Stop{SIGTERM, 100});
  EXPECT_TRUE(hear<wire::Stopped>(kTwo).leftovers.empty());
}

TEST_F(AgentWithTwoRuns, ARunThatNobodyGreetedIsIgnored) {
  (void)start(kOne);
  say(kTwo, wire::Stop{SIGTERM, 100});
  say(kTwo, wire::Bye{});
  say(kOne, wire::Ping{});
  (void)hear<wire::Pong>(kOne);
}

// The first run holds the host, the second is that of a launcher.
class CalledAgent : public AgentWithTwoRuns {
 protected:
  CalledAgent() : AgentWithTwoRuns(Called{}) {}

  void greet(RunIndex run) {
    say(run, wire::Hello{wire::kProtocol, "job", base::NodeIndex(0), 8000, 100, false, 0});
    (void)hear<wire::Welcome>(run);
  }
  // Exit code, or 128 and more.
  int end() {
    int status = -1;
    EXPECT_GT(::waitpid(std::exchange(agent_, 0), &status, 0), 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
};

TEST_F(CalledAgent, EndsWellOnceTheHeadHasSaidBye) {
  greet(kOne);
  const Pids two = start(kTwo);
  say(kTwo, wire::Stop{SIGTERM, 100});
  (void)hear<wire::Stopped>(kTwo);
  say(kTwo, wire::Bye{});
  say(kOne, wire::Ping{});
  (void)hear<wire::Pong>(kOne);
  say(kOne, wire::Bye{});
  EXPECT_EQ(end(), 0);
  EXPECT_FALSE(is_alive(two.daemon));
}

TEST_F(CalledAgent, ALostHeadIsAFailure) {
  greet(kOne);
  const Pids two = start(kTwo);
  to_agent_.reset();
  from_agent_.reset();
  EXPECT_EQ(end(), base::exit_code(base::Fault::lost));
  EXPECT_FALSE(is_alive(two.daemon));
}

TEST_F(CalledAgent, ToldToEndItTellsTheRunThatHoldsItLast) {
  greet(kOne);
  const Pids two = start(kTwo);
  ::kill(agent_, SIGTERM);
  EXPECT_EQ(hear<wire::Refused>(kTwo).error.what, "the host was told to end (SIGTERM)");
  EXPECT_TRUE(is_alive(two.task)) << "its head ends it";
  say(kOne, wire::Ping{});
  (void)hear<wire::Pong>(kOne);
  say(kTwo, wire::Stop{SIGTERM, 100});
  EXPECT_TRUE(hear<wire::Stopped>(kTwo).leftovers.empty());
  say(kTwo, wire::Bye{});
  EXPECT_EQ(hear<wire::Refused>(kOne).error.fault, base::Fault::lost);
  say(kOne, wire::Bye{});
  EXPECT_EQ(end(), 128 + SIGTERM);
}

TEST_F(CalledAgent, ToldASecondTimeItEndsAllAtOnce) {
  greet(kOne);
  const Pids two = start(kTwo);
  ::kill(agent_, SIGTERM);
  (void)hear<wire::Refused>(kTwo);
  ::kill(agent_, SIGTERM);
  EXPECT_EQ(end(), 128 + SIGTERM);
  for (const pid_t pid : {two.task, two.daemon}) EXPECT_FALSE(is_alive(pid));
}

}  // namespace
}  // namespace muster::host::agent_runs_test
