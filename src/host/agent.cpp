// Joins the agent's link with the tasks of its host.
#include "host/agent.hpp"

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>

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

class Agent {
 public:
  Agent(process::GuardProcess guard, const std::vector<std::string>& environment,
        const std::string& version)
      : link_(loop_, link_events()),
        tasks_(loop_, std::move(guard), options(environment, version), environment, task_events()),
        signals_(loop_, SIGTERM, SIGHUP, SIGINT) {
    wait_for_signal();
  }

  int run() {
    loop_.run();
    return 0;
  }

 private:
  machine::AgentOptions options(const std::vector<std::string>& environment,
                                const std::string& version) {
    machine::AgentOptions options{version, {}, true};
    options.facts.hostname = probe::hostname();
    options.facts.identity = probe::identity();
    const probe::Cpus cpus = probe::cpus();
    options.facts.cpus = cpus.usable;
    options.facts.cpus_limited = cpus.limited;
    options.facts.interfaces = probe::interfaces();
    options.facts.rdma = probe::has_rdma();
    options.facts.devices = probe::devices("", environment);
    const auto ssh = probe::ssh_connection(base::value_of(environment, "SSH_CONNECTION"));
    options.facts.reached_at = ssh.server;
    options.facts.head_address = ssh.client;
    if (auto port = probe::claim_port()) {
      options.facts.port = port->port;
      port_claim_ = std::move(port->claim);
    }
    return options;
  }

  link::AgentLinkEvents link_events() {
    link::AgentLinkEvents events;
    events.message = [this](wire::ToAgent message) { tasks_.feed(std::move(message)); };
    events.broken = [this](const base::Error& error) {
      say(error.what);
      tasks_.feed(machine::LinkClosed{});
    };
    events.closed = [this] { tasks_.feed(machine::LinkClosed{}); };
    return events;
  }

  HostTasksEvents task_events() {
    HostTasksEvents events;
    events.to_head = [this](const wire::ToHead& message) { link_.send(message); };
    events.output = [this](base::Rank rank, wire::Stream stream, std::string_view bytes) {
      link_.send_output(rank, stream, bytes);
    };
    events.drop_link = [this](const std::string& why) {
      say(why);
      link_.drop();
    };
    events.quit = [this] { link_.drain([this] { loop_.stop(); }); };
    return events;
  }

  // Somebody wants this agent gone: its tasks go first.
  void wait_for_signal() {
    signals_.async_wait(life_.bind([this](const std::error_code& error, int number) {
      if (error) return;
      say(fmt::format("ended by {}", base::signal_name(number)));
      tasks_.feed(machine::LinkClosed{});
      wait_for_signal();
    }));
  }

  asio::io_context loop_{1};
  process::UniqueFd port_claim_;
  link::AgentLink link_;
  HostTasks tasks_;
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
