// Joins the agent's link with the tasks of its host.
#include "host/agent.hpp"

#include <array>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <set>

#include "base/signal_names.hpp"
#include "base/variables.hpp"
#include "host/contain_here.hpp"
#include "host/host_tasks.hpp"
#include "host/limits.hpp"
#include "host/outer_agent.hpp"
#include "link/link.hpp"
#include "machine/end_wish.hpp"
#include "machine/told_to_end.hpp"
#include "probe/claims.hpp"
#include "probe/devices.hpp"
#include "probe/heard_from.hpp"
#include "probe/probe.hpp"
#include "probe/task_state.hpp"
#include "process/alarm.hpp"
#include "process/helper_outside.hpp"
#include "process/life.hpp"
#include "process/removals.hpp"
#include "process/shortage.hpp"
#include "process/signal_mask.hpp"

namespace muster::host {
namespace {

// For the head to end the ranks here, once this agent has been told to go; kubelets wait 30 s.
constexpr base::Duration kLeaveInOrder = std::chrono::seconds(20);

// The carrier brings it to the head, which shows the last such line of an agent that it loses.
void say(const std::string& what) { std::fprintf(stderr, "muster agent: %s\n", what.c_str()); }

// Before the head has heard of us; link/diagnose.cpp reads it.
int give_up(const base::Error& error) {
  say(error.hint.empty() ? error.what : error.what + "; hint: " + error.hint);
  return base::exit_code(error.fault);
}

process::UniqueFd copy_of(const process::UniqueFd& fd) {
  return process::UniqueFd(process::required(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3)));
}

// How this agent and its head have come to talk.
struct Connection {
  process::UniqueFd fd;         // to a head that waits for it; none: stdin and stdout
  probe::SshConnection ends{};  // addresses
  bool is_step = false;         // of a batch job, whose end is told to all its processes
};

// Runs share the link and nothing else: each has its guard, its tasks and its lease.
class Agent {
 public:
  Agent(process::GuardProcess guard, std::vector<std::string> environment, std::string version,
        Connection connection)
      : environment_(std::move(environment)),
        version_(std::move(version)),
        ends_(std::move(connection.ends)),
        called_(connection.fd),
        tells_(called_ || connection.is_step),
        to_head_(called_ ? copy_of(connection.fd) : process::UniqueFd()),
        link_(called_ ? link::AgentLink(loop_, std::move(connection.fd), std::move(to_head_),
                                        link_events())
                      : link::AgentLink(loop_, link_events())),
        leave_by_(loop_),
        signals_(loop_, SIGTERM, SIGHUP, SIGINT) {
    add(std::move(guard));
    wait_for_signal();
  }

  struct Ran {
    int code = 0;
    std::optional<Contained> contained;  // what was said in place of a greeting
  };

  Ran run() {
    loop_.run();
    return {exit_code(), std::move(contained_)};
  }

 private:
  // Of an agent that is told over stdin, nobody asks how it ended.
  int exit_code() {
    if (!called_) return 0;
    if (told_to_end_ != 0) return 128 + told_to_end_;
    if (dismissed_) return 0;
    if (!said_why_) say("the connection to the head was lost");
    return base::exit_code(base::Fault::lost);
  }

  struct HostedRun {
    base::RunIndex index;  // 0: the head has not greeted for it yet
    pid_t warden = 0;
    process::UniqueFd port_claim;
    std::unique_ptr<HostTasks> tasks;
  };

  [[nodiscard]] machine::AgentOptions options(HostedRun& run) const {
    machine::AgentOptions options{version_, {}, true};
    options.facts.hostname = probe::hostname();
    // Whoever sets the one variable sets the other; alone it is left of another run.
    const bool is_contained = !process::outside().empty();
    if (is_contained) options.facts.identity = base::value_of(environment_, kHostIdentity);
    if (options.facts.identity.empty()) options.facts.identity = probe::identity();
    options.facts.cpus = probe::cpus();
    options.facts.interfaces = probe::interfaces();
    options.facts.rdma = probe::has_rdma();
    options.facts.devices = probe::devices("", environment_);
    options.facts.claimed = probe::claimed_by_others(options.facts.devices);
    options.facts.reached_at = ends_.server;
    options.facts.head_address = ends_.client;
    if (auto port = probe::claim_port()) {
      options.facts.port = port->port;
      run.port_claim = std::move(port->claim);
    }
    return options;
  }

  HostedRun& add(process::GuardProcess guard) {
    HostedRun& run = *runs_.emplace_back(std::make_unique<HostedRun>());
    run.warden = guard.warden;
    run.tasks = std::make_unique<HostTasks>(loop_, removals_, std::move(guard), options(run),
                                            environment_, task_events(run));
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
      // The head's own run holds this host until the end; others come and go meanwhile.
      dismissed_ |= index == base::kFirstRun && std::holds_alternative<wire::Bye>(message);
      if (HostedRun* run = find(index, message)) run->tasks->feed(std::move(message));
    };
    events.contain = [this](wire::Contain wanted, std::string rest) {
      contained_ = {std::move(wanted), std::move(rest)};
      loop_.stop();
    };
    events.broken = [this](const base::Error& error) {
      say(error.what);
      said_why_ = true;
      end_all();
    };
    events.closed = [this] { end_all(); };
    return events;
  }

  // Without a connection from elsewhere, the head has started this process itself.
  [[nodiscard]] bool head_answers(base::Duration lease) const {
    return ends_.client.empty() ? probe::is_going("", ::getppid())
                                : probe::heard_from(ends_.client, lease / 2);
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
    events.head_answers = [this](base::Duration lease) { return head_answers(lease); };
    // Other runs may have other heads, which are not silent.
    events.drop_link = [this](const std::string& why) {
      say(why);
      said_why_ = true;
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
      if (told_to_end_ != 0 && runs_.size() == 1) tell_leaving(*runs_.front());
    }));
  }

  // Somebody wants this agent gone: its tasks go first.
  void wait_for_signal() {
    signals_.async_wait(life_.bind([this](const std::error_code& error, int number) {
      if (error) return;
      say(fmt::format("ended by {}", base::signal_name(number)));
      const bool is_first = std::exchange(told_to_end_, number) == 0;
      const bool again = wish_.hear(number, host::now());
      if (again || !tells_) {
        end_all();
      } else if (is_first) {
        leave_in_order();
      }
      wait_for_signal();
    }));
  }

  // The run that holds this host is told when all others have ended here: it lets the host go at
  // once.
  void leave_in_order() {
    leave_by_.after(kLeaveInOrder, [this] { end_all(); });
    if (runs_.size() == 1) return tell_leaving(*runs_.front());
    for (const auto& run : runs_) {
      if (run->index != base::kFirstRun) tell_leaving(*run);
    }
  }

  void tell_leaving(const HostedRun& run) {
    if (run.index == base::RunIndex()) return end_all();  // nobody has greeted
    const auto number = base::signal_name(told_to_end_);
    const auto why = fmt::format("{} ({})", machine::kToldToEnd, number);
    link_.send(run.index, wire::Refused{{base::Fault::lost, why, {}, {}}});
  }

  asio::io_context loop_{1};
  process::Removals removals_{loop_};
  std::vector<std::string> environment_;
  std::string version_;
  probe::SshConnection ends_;
  bool called_;
  bool tells_;  // the head, when somebody wants this agent gone
  process::UniqueFd to_head_;
  bool dismissed_ = false;  // by the head's own run
  bool said_why_ = false;   // the link is of no use any more
  int told_to_end_ = 0;     // by this signal
  machine::EndWish wish_;
  link::AgentLink link_;
  std::vector<std::unique_ptr<HostedRun>> runs_;  // never empty
  process::Alarm leave_by_;
  asio::signal_set signals_;
  std::optional<Contained> contained_;
  process::Life life_;
};

int run(Connection connection, const std::vector<std::string>& environment,
        const std::string& version) {
  std::signal(SIGPIPE, SIG_IGN);
  auto guard = process::fork_guard();
  if (!guard) return give_up(guard.error());
  if (const auto made = process::become_subreaper(); !made) return give_up(made.error());
  process::ignore_signals_for_ranks();
  raise_descriptor_limit();
  auto ran = process::caught(
      [&] { return Agent(std::move(*guard), environment, version, std::move(connection)).run(); });
  if (!ran) return give_up(ran.error());
  return ran->contained ? run_outer_agent(*ran->contained, environment) : ran->code;
}

}  // namespace

int run_agent(const std::vector<std::string>& environment, const std::string& version) {
  const std::string ssh = base::value_of(environment, "SSH_CONNECTION");
  // srun is given no login's variables: where there are some, the mark is left of another agent.
  const bool is_step = ssh.empty() && !base::value_of(environment, link::kStepMark).empty();
  const std::string srun = base::value_of(environment, "SLURM_LAUNCH_NODE_IPADDR");
  auto ends = is_step ? probe::ends_towards(srun) : probe::ssh_connection(ssh);
  // A batch system may have handed down that of somebody's login elsewhere.
  if (!ends.server.empty() && probe::local_names(std::array{ends.server}).empty()) ends = {};
  return run({{}, ends, is_step}, environment, version);
}

int run_called_agent(process::UniqueFd connection, const std::vector<std::string>& environment,
                     const std::string& version) {
  const auto ends = probe::connection_ends(connection.get());
  return run({std::move(connection), ends, false}, environment, version);
}

}  // namespace muster::host
