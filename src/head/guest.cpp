// Joins the connection to node 0, the tasks of this host and its console.
#include "head/guest.hpp"

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <memory>
#include <optional>

#include "head/output_flow.hpp"
#include "host/host_tasks.hpp"
#include "host/limits.hpp"
#include "link/link.hpp"
#include "machine/host_orders.hpp"
#include "machine/tail.hpp"
#include "model/carriers.hpp"
#include "model/plan.hpp"
#include "probe/claims.hpp"
#include "probe/devices.hpp"
#include "probe/probe.hpp"
#include "process/life.hpp"
#include "process/removals.hpp"

namespace muster::head {
namespace {

using base::Rank;
using wire::Stream;

class GuestNode {
 public:
  GuestNode(process::GuardProcess guard, GuestOptions options)
      : spec_(std::move(options.spec)),
        ends_(probe::connection_ends(options.connection.get())),
        to_head_(::fcntl(options.connection.get(), F_DUPFD_CLOEXEC, 0)),
        link_(loop_, std::move(options.connection), std::move(to_head_), link_events()),
        tasks_(loop_, removals_, std::move(guard), facts(options), options.environment,
               task_events()),
        signals_(loop_, SIGTERM, SIGHUP, SIGINT) {
    signals_.add(SIGQUIT);
    if (spec_.input.to == model::StdinTo::inherited) tasks_.share_stdin();
    wait_for_signal();
  }

  base::Result<GuestEnd> run() {
    loop_.run();
    if (end_) return with_troubles(std::move(*end_));
    if (signal_ != 0) return GuestEnd{{}, 128 + signal_};
    return base::fail(base::Fault::lost, "its own report says why",
                      "the connection to node 0 was lost");
  }

 private:
  // What this node's console and files lack is told here alone.
  [[nodiscard]] GuestEnd with_troubles(GuestEnd end) const {
    const auto troubles = console_ ? console_->troubles() : std::vector<std::string>();
    for (const std::string& trouble : troubles) end.report += "muster: " + trouble + "\n";
    if (!troubles.empty() && end.code == 0) end.code = base::exit_code(base::Fault::output);
    return end;
  }

  // A rank's last words are complete when its stderr has ended, before or after the rank itself.
  struct Spoken {
    machine::Tail tail;
    bool ended = false;
    bool failed = false;
  };

  machine::AgentOptions facts(const GuestOptions& options) {
    machine::AgentOptions made{options.version, {}, true};
    made.facts.hostname = probe::hostname();
    made.facts.cpus = probe::cpus();
    made.facts.interfaces = probe::interfaces();
    made.facts.rdma = probe::has_rdma();
    made.facts.devices = probe::devices("", options.environment);
    made.facts.claimed = probe::claimed_by_others(made.facts.devices);
    made.facts.reached_at = ends_.server;
    made.facts.head_address = ends_.client;
    return made;
  }

  link::AgentLinkEvents link_events() {
    link::AgentLinkEvents events;
    events.message = [this](base::RunIndex run, wire::ToAgent message) {
      if (run == base::kFirstRun) take(std::move(message));
    };
    events.broken = [this](const base::Error&) { tasks_.feed(machine::LinkClosed{}); };
    events.closed = [this] { tasks_.feed(machine::LinkClosed{}); };
    return events;
  }

  void take(wire::ToAgent message) {
    if (const auto* bye = std::get_if<wire::Bye>(&message)) {
      end_ = {bye->report, static_cast<int>(bye->code)};
    }
    if (std::holds_alternative<wire::Hello>(message) && console_) begin_round();
    const auto* stop = std::get_if<wire::Stop>(&message);
    if (stop != nullptr && console_) console_->stop(base::Duration(stop->grace_ms));
    if (auto* world = std::get_if<wire::World>(&message)) world_ = *world;
    if (const auto* prepare = std::get_if<wire::Prepare>(&message)) {
      if (auto opened = open_console(prepare->node); !opened) {
        return link_.send(base::kFirstRun, wire::Refused{opened.error()});
      }
    }
    tasks_.feed(std::move(message));
  }

  // Node 0 greets again when all ranks are to be started again.
  void begin_round() {
    spoken_.clear();
    console_->say(fmt::format("muster: node 0 starts all ranks again (restart {})\n", ++rounds_));
    console_->begin_round();
  }

  // Ranks of other nodes have no streams here.
  base::Result<void> open_console(base::NodeIndex node) {
    if (console_) return {};
    draw_up(node);
    auto logs = LogFiles::wanted(spec_.output, machine::Speakers(plan_, spec_.apps));
    if (!logs) return tl::unexpected(logs.error());
    OutputFlowEvents events;
    events.credit = [this](Rank rank, Stream stream, std::uint32_t bytes) {
      tasks_.feed(wire::ToAgent(wire::Credit{rank, stream, bytes}));
    };
    console_ = std::make_unique<OutputFlow>(loop_, spec_, plan_, world_.window, std::move(*logs),
                                            std::move(events));
    return {};
  }

  // As much of the job's plan as can be known here.
  void draw_up(base::NodeIndex node) {
    constexpr base::NodeIndex kHere(0);
    constexpr base::NodeIndex kElsewhere(1);
    plan_.nodes.resize(2);
    plan_.nodes[kHere.value].host.name = probe::hostname();
    plan_.nodes[kHere.value].host.carrier = model::kLocal;
    plan_.nodes[kElsewhere.value].host.carrier = model::kJoined;
    plan_.ranks.resize(world_.plan.ranks.size(), {kElsewhere, 0, 0});
    for (const Rank rank : machine::ranks_of(world_, node)) {
      auto& own = plan_.nodes.front().ranks;
      if (rank.value >= plan_.ranks.size()) continue;
      plan_.ranks[rank.value] = {kHere, static_cast<std::uint32_t>(own.size()), 0};
      own.push_back(rank);
    }
  }

  host::HostTasksEvents task_events() {
    host::HostTasksEvents events;
    events.to_head = [this](const wire::ToHead& message) { tell(message); };
    events.output = [this](Rank rank, Stream stream, std::string_view bytes) {
      if (stream == Stream::err) spoken_[rank].tail.take(bytes);
      console_->take(rank, stream, bytes);
    };
    events.drop_link = [this](const std::string&) { link_.drop(); };
    events.quit = [this] { link_.drain([this] { leave(); }); };
    return events;
  }

  // Node 0 gets the last words of a rank that failed, for its report, and no other output.
  void tell(const wire::ToHead& message) {
    if (const auto* exited = std::get_if<wire::Exited>(&message)) failed(exited->exit);
    if (const auto* end = std::get_if<wire::OutputEnd>(&message)) ended(*end);
    link_.send(base::kFirstRun, message);
  }

  void failed(const model::RankExit& exit) {
    if (!exit.failed()) return;
    Spoken& spoken = spoken_[exit.rank];
    spoken.failed = true;
    if (spoken.ended) send_tail(exit.rank, spoken.tail);
  }

  void ended(const wire::OutputEnd& end) {
    if (console_) console_->end(end.rank, end.stream);
    if (end.stream == Stream::out) return;
    Spoken& spoken = spoken_[end.rank];
    spoken.ended = true;
    if (spoken.failed) send_tail(end.rank, spoken.tail);
  }

  void send_tail(Rank rank, const machine::Tail& tail) {
    std::string text;
    for (const std::string& line : tail.lines()) text += line + "\n";
    if (!text.empty()) link_.send_output(base::kFirstRun, rank, Stream::err, text);
  }

  void leave() {
    if (!console_) return loop_.stop();
    is_leaving_ = true;
    const bool is_told = !end_ || !end_->report.empty();
    console_->finish(is_told ? OutputFlow::Next::words : OutputFlow::Next::nothing,
                     OutputFlow::Wait::for_ever,
                     [this] { asio::post(loop_, life_.bind([this] { loop_.stop(); })); });
  }

  // A person here wants the job to end: the tasks of this node go, and node 0 ends the others.
  void wait_for_signal() {
    signals_.async_wait(life_.bind([this](const std::error_code& error, int number) {
      if (error) return;
      signal_ = number;
      if (is_leaving_) return loop_.stop();
      tasks_.feed(machine::LinkClosed{});
      wait_for_signal();
    }));
  }

  asio::io_context loop_{1};
  process::Removals removals_{loop_};
  model::JobSpec spec_;
  probe::SshConnection ends_;
  process::UniqueFd to_head_;
  wire::World world_;  // that node 0 has told of
  model::Plan plan_;
  std::unique_ptr<OutputFlow> console_;  // once there is something to show
  std::map<Rank, Spoken> spoken_;
  std::optional<GuestEnd> end_;
  int signal_ = 0;
  bool is_leaving_ = false;
  std::uint32_t rounds_ = 0;  // begun again
  link::AgentLink link_;
  host::HostTasks tasks_;
  asio::signal_set signals_;
  process::Life life_;
};

}  // namespace

base::Result<GuestEnd> run_guest(GuestOptions options) {
  std::signal(SIGPIPE, SIG_IGN);
  auto guard = process::fork_guard();
  if (!guard) return tl::unexpected(guard.error());
  if (auto made = process::become_subreaper(); !made) return tl::unexpected(made.error());
  host::raise_descriptor_limit();
  return GuestNode(std::move(*guard), std::move(options)).run();
}

}  // namespace muster::head
