// Joins the agent's link with the tasks of its host.
#include "host/agent.hpp"

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <set>

#include "base/signal_names.hpp"
#include "base/variables.hpp"
#include "host/host_tasks.hpp"
#include "host/limits.hpp"
#include "link/link.hpp"
#include "probe/devices.hpp"
#include "probe/probe.hpp"
#include "process/life.hpp"
#include "process/shortage.hpp"

namespace muster::host {
namespace {

// The carrier brings it to the head, which shows the last such line of an agent that it loses.
void say(const std::string& what) { std::fprintf(stderr, "muster agent: %s\n", what.c_str()); }

// Before the head has heard of us; link/diagnose.cpp reads it.
int give_up(const base::Error& error) {
  say(error.hint.empty() ? error.what : error.what + "; hint: " + error.hint);
  return base::exit_code(error.fault);
}

// Runs share the link and nothing else: each has its guard, its tasks and its lease.
class Agent {
 public:
  Agent(process::GuardProcess guard, std::vector<std::string> environment, std::string version)
      : environment_(std::move(environment)),
        version_(std::move(version)),
        link_(loop_, link_events()),
        signals_(loop_, SIGTERM, SIGHUP, SIGINT) {
    add(std::move(guard));
    wait_for_signal();
  }

  int run() {
    loop_.run();
    return 0;
  }

 private:
  struct HostedRun {
    base::RunIndex index;  // 0: the head has not greeted for it yet
    pid_t warden = 0;
    process::UniqueFd port_claim;
    std::unique_ptr<HostTasks> tasks;
  };

  [[nodiscard]] machine::AgentOptions options(HostedRun& run) const {
    machine::AgentOptions options{version_, {}, true};
    options.facts.hostname = probe::hostname();
    options.facts.identity = probe::identity();
    options.facts.cpus = probe::cpus();
    options.facts.interfaces = probe::interfaces();
    options.facts.rdma = probe::has_rdma();
    options.facts.devices = probe::devices("", environment_);
    const auto ssh = probe::ssh_connection(base::value_of(environment_, "SSH_CONNECTION"));
    options.facts.reached_at = ssh.server;
    options.facts.head_address = ssh.client;
    if (auto port = probe::claim_port()) {
      options.facts.port = port->port;
      run.port_claim = std::move(port->claim);
    }
    return options;
  }

  HostedRun& add(process::GuardProcess guard) {
    HostedRun& run = *runs_.emplace_back(std::make_unique<HostedRun>());
    run.warden = guard.warden;
    run.tasks = std::make_unique<HostTasks>(loop_, std::move(guard), options(run), environment_,
                                            task_events(run));
    run.tasks->serve_launchers();
    return run;
  }

  // The first one waits for its greeting from the start; the guards of others are made when they
  // are greeted.
  HostedRun* find(base::RunIndex index, const wire::ToAgent& message) {
    for (const auto& run : runs_) {
      if (run->index == index) return run.get();
    }
    if (!std::holds_alternative<wire::Hello>(message)) return nullptr;
    HostedRun* run = runs_.front().get();
    if (run->index != base::RunIndex()) run = begin(index);
    if (run != nullptr) run->index = index;
    return run;
  }

  HostedRun* begin(base::RunIndex index) {
    auto guard = process::fork_guard();
    if (guard) return &add(std::move(*guard));
    link_.send(index, wire::Refused{guard.error()});
    return nullptr;
  }

  link::AgentLinkEvents link_events() {
    link::AgentLinkEvents events;
    events.message = [this](base::RunIndex index, wire::ToAgent message) {
      if (HostedRun* run = find(index, message)) run->tasks->feed(std::move(message));
    };
    events.broken = [this](const base::Error& error) {
      say(error.what);
      end_all();
    };
    events.closed = [this] { end_all(); };
    return events;
  }

  void end_all() {
    for (const auto& run : runs_) run->tasks->feed(machine::LinkClosed{});
  }

  HostTasksEvents task_events(HostedRun& run) {
    HostTasksEvents events;
    events.to_head = [this, &run](const wire::ToHead& message) { link_.send(run.index, message); };
    events.output = [this, &run](base::Rank rank, wire::Stream stream, std::string_view bytes) {
      link_.send_output(run.index, rank, stream, bytes);
    };
    // Other runs may have other heads, which are not silent.
    events.drop_link = [this](const std::string& why) {
      say(why);
      if (runs_.size() > 1) return;
      link_.drop();
      end_all();
    };
    events.quit = [this, &run] { leave(run); };
    events.others = [this, &run] {
      std::set<pid_t> wardens;
      for (const auto& one : runs_) {
        if (one.get() != &run) wardens.insert(one->warden);
      }
      return wardens;
    };
    return events;
  }

  // We are called from within its tasks, which may go once they have returned.
  void leave(HostedRun& run) {
    asio::post(loop_, life_.bind([this, &run] {
      if (runs_.size() == 1) return link_.drain([this] { loop_.stop(); });
      std::erase_if(runs_, [&](const auto& one) { return one.get() == &run; });
    }));
  }

  // Somebody wants this agent gone: its tasks go first.
  void wait_for_signal() {
    signals_.async_wait(life_.bind([this](const std::error_code& error, int number) {
      if (error) return;
      say(fmt::format("ended by {}", base::signal_name(number)));
      end_all();
      wait_for_signal();
    }));
  }

  asio::io_context loop_{1};
  std::vector<std::string> environment_;
  std::string version_;
  link::AgentLink link_;
  std::vector<std::unique_ptr<HostedRun>> runs_;  // never empty
  asio::signal_set signals_;
  process::Life life_;
};

}  // namespace

int run_agent(const std::vector<std::string>& environment, const std::string& version) {
  std::signal(SIGPIPE, SIG_IGN);
  auto guard = process::fork_guard();
  if (!guard) return give_up(guard.error());
  if (const auto made = process::become_subreaper(); !made) return give_up(made.error());
  raise_descriptor_limit();
  const auto code =
      process::caught([&] { return Agent(std::move(*guard), environment, version).run(); });
  return code ? *code : give_up(code.error());
}

}  // namespace muster::host
