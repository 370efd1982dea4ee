// Joins the connection to node 0, the tasks of this host and its console.
#include "app/guest.hpp"

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <memory>
#include <optional>

#include "app/host_tasks.hpp"
#include "app/limits.hpp"
#include "app/output_flow.hpp"
#include "link/link.hpp"
#include "machine/tail.hpp"
#include "model/plan.hpp"
#include "probe/devices.hpp"
#include "probe/probe.hpp"

namespace muster::app {
namespace {

using base::Rank;
using wire::Stream;

class Guest {
 public:
  Guest(process::GuardProcess guard, GuestOptions options)
      : spec_(std::move(options.spec)),
        ends_(probe::connection_ends(options.connection.get())),
        to_head_(::fcntl(options.connection.get(), F_DUPFD_CLOEXEC, 0)),
        link_(loop_, std::move(options.connection), std::move(to_head_), link_events()),
        tasks_(loop_, std::move(guard), facts(options), options.environment, task_events()),
        signals_(loop_, SIGTERM, SIGHUP, SIGINT) {
    wait_for_signal();
  }

  base::Result<GuestEnd> run() {
    loop_.run();
    if (end_) return *end_;
    if (signal_ != 0) return GuestEnd{{}, 128 + signal_};
    return base::fail(base::Fault::lost, "its own report says why",
                      "the connection to node 0 was lost");
  }

 private:
  machine::AgentOptions facts(const GuestOptions& options) {
    machine::AgentOptions made{options.version, {}, true};
    made.facts.hostname = probe::hostname();
    made.facts.cpus = probe::usable_cpus();
    made.facts.interfaces = probe::interfaces();
    made.facts.rdma = probe::has_rdma();
    made.facts.devices = probe::devices("", options.environment);
    made.facts.reached_at = ends_.server;
    made.facts.head_address = ends_.client;
    return made;
  }

  link::AgentLinkEvents link_events() {
    link::AgentLinkEvents events;
    events.message = [this](wire::ToAgent message) { take(std::move(message)); };
    events.broken = [this](const base::Error&) { tasks_.feed(machine::LinkClosed{}); };
    events.closed = [this] { tasks_.feed(machine::LinkClosed{}); };
    return events;
  }

  void take(wire::ToAgent message) {
    if (const auto* bye = std::get_if<wire::Bye>(&message)) {
      end_ = {bye->report, static_cast<int>(bye->code)};
    }
    if (const auto* prepare = std::get_if<wire::Prepare>(&message)) open_console(*prepare);
    tasks_.feed(std::move(message));
  }

  // Ranks of other nodes have no streams here.
  void open_console(const wire::Prepare& orders) {
    if (console_) return;
    OutputFlowEvents events;
    events.credit = [this](Rank rank, Stream stream, std::uint32_t bytes) {
      tasks_.feed(wire::ToAgent(wire::Credit{rank, stream, bytes}));
    };
    draw_up(orders);
    console_ = std::make_unique<OutputFlow>(loop_, spec_, plan_, orders.window, std::nullopt,
                                            std::move(events));
  }

  // As much of the job's plan as can be known here.
  void draw_up(const wire::Prepare& orders) {
    plan_.ranks.resize(orders.wireup.size);
    plan_.nodes.resize(1);
    plan_.nodes.front().host.name = probe::hostname();
    for (const wire::TaskOrder& task : orders.tasks) {
      auto& own = plan_.nodes.front().ranks;
      if (task.rank.value >= plan_.ranks.size()) continue;
      plan_.ranks[task.rank.value].local_rank = static_cast<std::uint32_t>(own.size());
      own.push_back(task.rank);
    }
  }

  HostTasksEvents task_events() {
    HostTasksEvents events;
    events.to_head = [this](const wire::ToHead& message) { tell(message); };
    events.output = [this](Rank rank, Stream stream, std::string_view bytes) {
      if (stream == Stream::err) tails_[rank].take(bytes);
      console_->take(rank, stream, bytes);
    };
    events.drop_link = [this] { link_.drop(); };
    events.quit = [this] { link_.drain([this] { leave(); }); };
    return events;
  }

  // Node 0 gets the last words of a rank that failed, for its report, and no other output.
  void tell(const wire::ToHead& message) {
    const auto* exited = std::get_if<wire::Exited>(&message);
    if (exited != nullptr && exited->exit.failed()) send_tail(exited->exit.rank);
    const auto* end = std::get_if<wire::OutputEnd>(&message);
    if (end != nullptr && console_) console_->end(end->rank, end->stream);
    link_.send(message);
  }

  void send_tail(Rank rank) {
    std::string text;
    for (const std::string& line : tails_[rank].lines()) text += line + "\n";
    if (!text.empty()) link_.send_output(rank, Stream::err, text);
  }

  void leave() {
    if (!console_) return loop_.stop();
    console_->finish([this] { asio::post(loop_, [this] { loop_.stop(); }); });
  }

  // A person here wants the job to end: the tasks of this node go, and node 0 ends the others.
  void wait_for_signal() {
    signals_.async_wait([this](const std::error_code& error, int number) {
      if (error) return;
      signal_ = number;
      tasks_.feed(machine::LinkClosed{});
      wait_for_signal();
    });
  }

  asio::io_context loop_{1};
  model::JobSpec spec_;
  probe::SshConnection ends_;
  process::UniqueFd to_head_;
  model::Plan plan_;
  std::unique_ptr<OutputFlow> console_;  // once there is something to show
  std::map<Rank, machine::Tail> tails_;
  std::optional<GuestEnd> end_;
  int signal_ = 0;
  link::AgentLink link_;
  HostTasks tasks_;
  asio::signal_set signals_;
};

}  // namespace

base::Result<GuestEnd> run_guest(GuestOptions options) {
  std::signal(SIGPIPE, SIG_IGN);
  auto guard = process::fork_guard();
  if (!guard) return tl::unexpected(guard.error());
  if (auto made = process::become_subreaper(); !made) return tl::unexpected(made.error());
  raise_descriptor_limit();
  return Guest(std::move(*guard), std::move(options)).run();
}

}  // namespace muster::app
