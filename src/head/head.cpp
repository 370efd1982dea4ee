// Performs the head machine's effects: links, the tasks beside it, the console, stdin and signals.
#include "head/head.hpp"

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <map>
#include <memory>
#include <optional>

#include "base/check.hpp"
#include "container/images.hpp"
#include "head/allocation_end.hpp"
#include "head/carriers.hpp"
#include "head/console_writer.hpp"
#include "head/gloo_server.hpp"
#include "head/input_reader.hpp"
#include "head/log_files.hpp"
#include "head/output_flow.hpp"
#include "head/step_links.hpp"
#include "host/host_tasks.hpp"
#include "host/limits.hpp"
#include "host/pump.hpp"
#include "model/carrier_asked.hpp"
#include "model/carrier_fake_node.hpp"
#include "probe/claims.hpp"
#include "probe/devices.hpp"
#include "probe/heard_from.hpp"
#include "probe/probe.hpp"
#include "probe/random.hpp"
#include "probe/task_state.hpp"
#include "process/alarm.hpp"
#include "process/life.hpp"
#include "process/removals.hpp"
#include "process/shortage.hpp"
#include "process/signal_mask.hpp"
#include "view/run_event_words.hpp"

namespace muster::head {
namespace {

using base::NodeIndex;
using base::Rank;
using base::RunIndex;

bool is_here(const model::Host& host) { return host.carrier.in_head; }

// The node that is this machine, if ranks run here.
std::optional<NodeIndex> node_here(const model::Plan& plan) {
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    if (is_here(plan.nodes[i].host)) return NodeIndex(i);
  }
  return std::nullopt;
}

class Head {
 public:
  Head(HeadOptions options, std::optional<process::GuardProcess> guard,
       std::optional<LogFiles> logs)
      : links_of_all_(options.links),
        loop_(options.links != nullptr ? options.links->loop() : own_loop_),
        environment_(std::move(options.environment)),
        joined_(std::move(options.joined)),
        told_(std::move(options.told)),
        quiet_(options.quiet),
        tells_interruption_(options.tells_interruption),
        tick_(std::move(options.tick)),
        asks_for_end_(options.asks_for_end),
        program_(std::move(options.program)),
        version_(std::move(options.version)),
        job_(options.input.job),
        guard_(std::move(guard)),
        plan_(options.input.plan),
        spec_(options.input.spec),
        here_(node_here(plan_)),
        first_(options.input.number),
        machine_(std::move(options.input)),
        console_(loop_, spec_, plan_, machine_.window(), std::move(logs), flow_events()),
        pump_(
            loop_,
            [this](base::Instant now, machine::HeadEvent event) { take(now, std::move(event)); },
            [this] { return machine_.deadline(); }, machine::HeadTick{}),
        signals_(loop_),
        ticks_(loop_),
        input_(loop_,
               {[this](std::string bytes) { pump_.feed(machine::InputBytes{std::move(bytes)}); },
                [this] { pump_.feed(machine::InputEnded{}); }}),
        asked_(loop_, spec_.carrier.above),
        allocation_(loop_),
        holder_(loop_, std::move(options.holder)),
        steps_(loop_, [this](const std::string& line) { console_.say("muster: " + line + "\n"); }) {
    if (here_) make_tasks();
    watch_signals();
  }

  ~Head() {
    if (tasks_) tasks_->leave_guard();
    // One that was not needed is waited for like any other.
    if (guard_ && !tasks_) const process::Guard unused(loop_, std::move(*guard_), {});
  }
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  model::RunReport run() {
    pump_.run([this] {
      machine::HeadEffects effects;
      machine_.start(host::now(), effects);
      perform_all(effects);
    });
    if (tick_) tick();
    ask_for_end();
    // Whoever takes the hosts away ends the ranks, too: they get what is left of their time.
    holder_.start([this](const std::string& why) {
      console_.say("muster: the hosts were taken away: " + why + "\n");
      pump_.feed(machine::UserSignal{SIGTERM});
    });
    loop_.run();
    CHECK(ended_);
    if (links_of_all_ != nullptr) links_of_all_->used(machine_.last());
    model::RunReport report = std::move(*ended_);
    for (const std::string& trouble : console_.troubles()) add_trouble(report, trouble);
    if (const auto missed = console_.not_shown(); missed != 0) {
      report.warnings.push_back(
          fmt::format("{} bytes of the ranks' output were not shown here", missed));
    }
    return report;
  }

  [[nodiscard]] const std::optional<model::HostFacts>& facts(NodeIndex node) const {
    return machine_.facts(node);
  }

 private:
  void ask_for_end() {
    const bool is_settled = spec_.timeout.has_value() || !asks_for_end_;
    allocation_.ask(environment_, is_settled, [this](std::int64_t at) {
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      const auto left = std::chrono::duration_cast<base::Duration>(std::chrono::seconds(at) - now);
      pump_.feed(machine::AllocationEnds{at, left});
    });
  }

  void tick() {
    constexpr base::Duration kTickEvery{200};
    tick_();
    ticks_.after(kTickEvery, [this] { tick(); });
  }

  // A run that has lost output did not end well; one that failed has a cause already.
  static void add_trouble(model::RunReport& report, const std::string& trouble) {
    if (report.cause != model::Cause::completed) return report.warnings.push_back(trouble);
    report.cause = model::Cause::fault;
    report.error = {base::Fault::output, trouble, {}, {}};
  }

  void take(base::Instant now, machine::HeadEvent event) {
    machine::HeadEffects effects;
    machine_.step(now, std::move(event), effects);
    perform_all(effects);
  }

  void perform_all(machine::HeadEffects& effects) {
    for (machine::HeadEffect& effect : effects) {
      std::visit([this](auto& one) { perform(one); }, effect);
    }
  }

  OutputFlowEvents flow_events() {
    OutputFlowEvents events;
    events.credit = [this](Rank rank, wire::Stream stream, std::uint32_t bytes) {
      send(plan_.ranks[rank.value].node, first_, wire::Credit{rank, stream, bytes});
    };
    events.closed = [this] {
      // Found out in the middle of a write: the machine hears of it when that is over.
      asio::post(loop_, life_.bind([this] { pump_.feed(machine::OutputClosed{is_on_terminal_}); }));
    };
    return events;
  }

  // ---- the tasks beside us ----------------------------------------------------------------------

  void make_tasks() {
    machine::AgentOptions options{version_, {}, false};
    options.facts.hostname = probe::hostname();
    options.facts.cpus = probe::cpus();
    const bool may_have_others = plan_.nodes.size() + plan_.spare.size() > 1;
    if (may_have_others) options.facts.interfaces = probe::interfaces();
    if (may_have_others) options.facts.identity = probe::identity();
    if (may_have_others) options.facts.rdma = probe::has_rdma();
    options.facts.devices = probe::devices("", environment_);
    options.facts.claimed = probe::claimed_by_others(options.facts.devices);
    if (auto port = probe::claim_port()) {
      options.facts.port = port->port;
      port_claim_ = std::move(port->claim);
    }
    host::HostTasksEvents events;
    events.to_head = [this](wire::ToHead message) {
      on_message(*here_, first_, std::move(message));
    };
    events.output = [this](Rank rank, wire::Stream stream, std::string_view bytes) {
      on_output(*here_, {rank, stream, bytes});
    };
    tasks_ = std::make_unique<host::HostTasks>(loop_, removals_, std::move(*guard_),
                                               std::move(options), environment_, std::move(events));
    if (may_have_others || !spec_.launchers.empty()) tasks_->serve_launchers();
    if (spec_.input.to == model::StdinTo::inherited) tasks_->share_stdin();
  }

  // ---- links ------------------------------------------------------------------------------------

  void perform(machine::OpenLink& effect) {
    const NodeIndex node = effect.node;
    if (node == here_) return pump_.feed(machine::LinkUp{node});
    const model::Host& host = plan_.nodes[node.value].host;
    if (links_of_all_ != nullptr) {
      if (auto kept = links_of_all_->take(host, spec_.carrier, node, link_events(node))) {
        links_[node] = std::move(kept);
        return pump_.feed(machine::LinkUp{node});
      }
    }
    auto link =
        open_carrier({loop_, spec_.carrier, program_, environment_, joined_, asked_, steps_}, node,
                     host, link_events(node));
    if (!link) return pump_.feed(machine::LinkFailed{node, link.error(), machine::Retry::no});
    links_[node] = std::move(*link);
  }

  HostLinkEvents link_events(NodeIndex node) {
    HostLinkEvents events;
    events.up = [this, node] {
      contain(node);
      pump_.feed(machine::LinkUp{node});
    };
    events.message = [this, node](RunIndex run, wire::ToHead message) {
      on_message(node, run, std::move(message));
    };
    events.output = [this, node](RunIndex run, const wire::OutputView& view) {
      run == first_ ? on_output(node, view) : relay_output(node, run, view);
    };
    events.ended = [this, node](const link::Diagnosis& diagnosis) { on_ended(node, diagnosis); };
    return events;
  }

  // The ranks of a host have the same image: container::check_images() has seen to it.
  [[nodiscard]] model::ContainerSpec container_of(NodeIndex node) const {
    model::ContainerSpec container = *spec_.container;
    const auto& ranks = plan_.nodes[node.value].ranks;
    if (ranks.empty()) return container;
    container.image = container::image_of(spec_, spec_.apps[plan_.ranks[ranks.front().value].app]);
    return container;
  }

  // Before anything else is said to a host whose ranks run in a container.
  void contain(NodeIndex node) {
    const model::Carrier& carrier = plan_.nodes[node.value].host.carrier;
    const bool starts_agents = carrier.opened && carrier != model::kAsked;
    if (!spec_.container || !starts_agents) return;
    wire::Contain wanted{container_of(node), fmt::format("muster-{}-{}", job_, node.value),
                         static_cast<std::uint32_t>(spec_.grace.count()), spec_.folders};
    send(node, first_, std::move(wanted));
  }

  void on_ended(NodeIndex node, const link::Diagnosis& diagnosis) {
    const auto link = links_.extract(node);
    if (link.empty()) return;
    if (link.mapped()->up()) return pump_.feed(machine::LinkLost{node, diagnosis.error});
    pump_.feed(machine::LinkFailed{node, diagnosis.error, diagnosis.retry});
  }

  // It may be the one whose callback we are in; nothing more is heard of it.
  void perform(machine::CloseLink& effect) { links_.erase(effect.node); }

  // Likewise.
  void perform(machine::KeepLink& effect) {
    auto link = links_.extract(effect.node);
    if (link.empty()) return;
    CHECK(links_of_all_ != nullptr);
    links_of_all_->keep(plan_.nodes[effect.node.value].host, spec_.carrier, effect.node, effect.run,
                        std::move(link.mapped()));
  }

  void perform(machine::LookForHost& effect) {
    const NodeIndex node = effect.node;
    const bool is_fake = plan_.nodes[node.value].host.carrier == model::kFakeNode;
    const auto link = links_.find(node);
    const pid_t agent = is_fake && link != links_.end() ? link->second->process() : 0;
    const bool answers = agent != 0 ? probe::is_going("", agent)
                                    : probe::heard_from(effect.address, effect.lease / 2);
    pump_.feed(machine::HostSeen{node, answers});
  }

  void perform(machine::AddHost& effect) {
    plan_.nodes.push_back({std::move(effect.host), {}});
    if (!is_here(plan_.nodes.back().host)) return;
    here_ = effect.node;
    make_tasks();
  }

  // Its ranks are known to everybody before the first of them starts.
  void perform(machine::AddWorld& effect) {
    const Rank first = effect.world.first;
    for (std::uint32_t own = 0; own < effect.world.size; ++own) {
      plan_.nodes[effect.ranks[own].node.value].ranks.emplace_back(first.value + own);
      plan_.ranks.push_back(effect.ranks[own]);
    }
    console_.add(effect.world, effect.window);
  }

  // The address is one of ours: of the interface asked for, or where the hosts saw us.
  void perform(machine::ServeGloo& effect) {
    std::string address = effect.address;
    if (!effect.interface.empty()) {
      auto own = probe::address_of(effect.interface);
      if (!own) {
        return pump_.feed(machine::GlooServed{tl::unexpected(own.error()), effect.run});
      }
      address = std::move(*own);
    }
    auto server = GlooServer::listen(
        loop_, {address, std::move(effect.members), std::move(effect.hosts),
                [this](const std::string& line) { console_.say("muster: " + line + "\n"); },
                [this, run = effect.run](std::uint32_t rank, const std::string& from) {
                  pump_.feed(machine::GlooJoined{base::Rank(rank), from, run});
                }});
    if (!server) {
      return pump_.feed(machine::GlooServed{tl::unexpected(server.error()), effect.run});
    }
    gloo_ = std::move(*server);
    pump_.feed(machine::GlooServed{machine::GlooServed::At{address, gloo_->port()}, effect.run});
  }

  void perform(machine::NewRound&) { console_.begin_round(); }

  // A reader that stands still does not keep the ranks from being ended.
  void note_stop(RunIndex run, const wire::ToAgent& message) {
    const auto* stop = std::get_if<wire::Stop>(&message);
    if (stop != nullptr && run == first_) console_.stop(base::Duration(stop->grace_ms));
  }

  void perform(machine::ToNode& effect) {
    note_stop(effect.run, effect.message);
    send(effect.node, effect.run, std::move(effect.message));
  }

  // Hosts that lie in more ranges than one frame can name get several.
  void perform(machine::ToNodes& effect) {
    note_stop(effect.run, effect.message);
    wire::HostSet hosts;
    for (const NodeIndex node : effect.nodes) {
      if (node == here_) tasks_->feed(effect.message);
      if (!links_.contains(node)) continue;
      hosts.add(node);
      if (hosts.ranges().size() < wire::kRangesMax) continue;
      send(std::exchange(hosts, {}), effect);
    }
    if (!hosts.empty()) send(hosts, effect);
  }

  void send(const wire::HostSet& hosts, const machine::ToNodes& effect) {
    auto frame = std::make_shared<std::string>();
    wire::append(*frame, effect.message, {effect.run, hosts});
    for (const NodeIndex node : effect.nodes) {
      if (hosts.contains(node)) links_.at(node)->send(frame);
    }
  }

  void send(NodeIndex node, RunIndex run, wire::ToAgent message) {
    if (node == here_) return tasks_->feed(std::move(message));
    const auto found = links_.find(node);
    if (found != links_.end()) found->second->send(run, message);
  }

  void on_message(NodeIndex node, RunIndex run, wire::ToHead message) {
    const auto* end = std::get_if<wire::OutputEnd>(&message);
    const bool ends = end != nullptr && run == first_ && runs_on(end->rank, node);
    if (ends) console_.end(end->rank, end->stream);
    pump_.feed(machine::Heard{node, std::move(message), run});
  }

  static std::string_view errors_of(const wire::OutputView& view) {
    return view.stream == wire::Stream::err ? view.bytes : std::string_view();
  }

  // An agent may only speak for its own ranks.
  [[nodiscard]] bool runs_on(Rank rank, NodeIndex node) const {
    return rank.value < plan_.ranks.size() && plan_.ranks[rank.value].node == node;
  }

  void on_output(NodeIndex node, const wire::OutputView& view) {
    if (!runs_on(view.rank, node)) return;
    pump_.feed(machine::Printed{node, view.rank, std::string(errors_of(view)), first_});
    if (plan_.nodes[node.value].host.carrier.own_console) return;
    console_.take(view.rank, view.stream, view.bytes);
  }

  void relay_output(NodeIndex node, RunIndex run, const wire::OutputView& view) {
    const auto to = machine_.relayed(run, node);
    if (!to) return;
    std::string frame;
    wire::append_output(frame, view.rank, view.stream, view.bytes, to->from);
    machine::HeadEffects effects;
    machine::answer(to->launcher, frame, effects);
    perform_all(effects);
  }

  // ---- people -----------------------------------------------------------------------------------

  // The run's end is told when all output has been written.
  void perform(machine::Tell& effect) {
    if (auto* last = std::get_if<model::RunEnded>(&effect.event)) {
      if (effect.run == first_) ended_ = std::move(last->report);
      return;
    }
    const bool interrupted = std::holds_alternative<model::Interrupted>(effect.event);
    const bool is_told = !quiet_ && (tells_interruption_ || !interrupted);
    if (const std::string words = view::words(effect.event); is_told && !words.empty()) {
      console_.say("muster: " + words + "\n");
    }
    if (told_) told_(effect.event);
  }

  void perform(machine::Say& effect) { console_.say("muster: " + effect.text + "\n"); }
  void perform(machine::ReadInput& effect) { input_.on(effect.on); }

  void perform(machine::SuspendSelf&) {
    // Once the ranks' stop has been written, and not before.
    asio::post(loop_, [] { ::raise(SIGSTOP); });
  }

  void perform(machine::RunOver&) {}

  void perform(machine::Finish&) {
    is_finishing_ = true;
    const bool is_interrupted = ended_ && ended_->cause == model::Cause::interrupted;
    if (is_interrupted) console_.hurry();
    const bool is_silent =
        ended_ && ended_->cause == model::Cause::completed && ended_->warnings.empty();
    console_.finish(
        is_silent && !spec_.verbose ? OutputFlow::Next::nothing : OutputFlow::Next::words,
        is_interrupted || is_out_of_time() ? OutputFlow::Wait::while_it_reads
                                           : OutputFlow::Wait::for_ever,
        [this] { asio::post(loop_, life_.bind([this] { leave(); })); });
  }

  [[nodiscard]] bool is_out_of_time() const {
    return ended_ && ended_->cause == model::Cause::fault &&
           ended_->error.fault == base::Fault::timeout;
  }

  void leave() {
    pump_.stop();
    loop_.stop();
  }

  void watch_signals() {
    std::signal(SIGPIPE, SIG_IGN);
    std::vector<int> numbers = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};
    numbers.insert(numbers.end(), spec_.forwarded_signals.begin(), spec_.forwarded_signals.end());
    for (const int number : numbers) {
      struct sigaction action {};
      ::sigaction(number, nullptr, &action);
      // nohup and shells without job control mean what they say.
      const bool ignored = action.sa_handler == SIG_IGN;
      if (ignored && (number == SIGHUP || number == SIGTSTP || number == SIGQUIT)) continue;
      signals_.add(number);
    }
    heard_.emplace(SIG_UNBLOCK, numbers);
    next_signal();
  }

  void next_signal() {
    signals_.async_wait(life_.bind([this](const std::error_code& error, int number) {
      if (error) return;
      // All ranks have ended; what the console has not taken yet need not be waited for.
      if (is_finishing_ && number != SIGCONT && number != SIGTSTP) return leave();
      pump_.feed(machine::UserSignal{number});
      next_signal();
    }));
  }

  KeptLinks* links_of_all_;
  asio::io_context own_loop_{1};
  asio::io_context& loop_;
  process::Removals removals_{loop_};
  const bool is_on_terminal_ = ::isatty(STDOUT_FILENO) == 1;  // it may be closed later
  bool is_finishing_ = false;
  std::optional<model::RunReport> ended_;  // as the machine has it
  std::vector<std::string> environment_;
  std::map<NodeIndex, process::UniqueFd> joined_;  // whose links are not open yet
  std::function<void(const model::RunEvent&)> told_;
  bool quiet_;
  bool tells_interruption_;
  std::function<void()> tick_;
  bool asks_for_end_;
  std::string program_;
  std::string version_;
  std::string job_;
  std::optional<process::GuardProcess> guard_;  // until this machine has tasks
  model::Plan plan_;
  model::JobSpec spec_;
  std::optional<NodeIndex> here_;
  RunIndex first_;  // the run that this head is for
  machine::HeadMachine machine_;
  OutputFlow console_;
  host::Pump<machine::HeadEvent> pump_;
  asio::signal_set signals_;
  // Whoever called may have held them back until now, and does so again afterwards.
  std::optional<process::SignalMask> heard_;
  process::Alarm ticks_;
  InputReader input_;
  process::UniqueFd port_claim_;
  std::unique_ptr<host::HostTasks> tasks_;
  AskedLinks asked_;
  AllocationEnd allocation_;
  HolderWatch holder_;
  StepLinks steps_;
  std::map<NodeIndex, std::unique_ptr<HostLink>> links_;
  std::unique_ptr<GlooServer> gloo_;  // while a job of horovodrun runs
  process::Life life_;
};

// What cannot be kept has heads of its own: a launcher's hosts are reached by the head above, and
// an agent outside of a container serves one run only.
void go_on_with_links(HeadOptions& options) {
  const model::JobSpec& spec = options.input.spec;
  if (spec.container || !spec.carrier.above.empty()) options.links = nullptr;
  if (options.links == nullptr) {
    options.input.keeps_links = false;
    return;
  }
  options.links->look();
  options.input.number = options.links->next();
}

}  // namespace

Survey survey(HeadOptions options) {
  options.input.survey = true;
  const std::size_t nodes = options.input.plan.nodes.size();
  go_on_with_links(options);
  Head head(std::move(options), std::nullopt, std::nullopt);
  Survey result{head.run(), {}};
  for (std::uint32_t i = 0; i < nodes; ++i) result.facts.push_back(head.facts(NodeIndex(i)));
  return result;
}

base::Result<model::RunReport> run_head(HeadOptions options) {
  const machine::RunInput& asked = options.input;
  auto logs = LogFiles::wanted(asked.spec.output, machine::Speakers(asked.plan, asked.spec.apps));
  if (!logs) return tl::unexpected(logs.error());
  std::optional<process::GuardProcess> guard;
  if (node_here(options.input.plan) || std::ranges::any_of(options.input.plan.spare, is_here)) {
    auto made = process::fork_guard();
    if (!made) return tl::unexpected(made.error());
    guard = std::move(*made);
  }
  if (auto made = process::become_subreaper(); !made) return tl::unexpected(made.error());
  host::raise_descriptor_limit();
  const auto unix_time = std::chrono::system_clock::now().time_since_epoch();
  options.input.deadline = plan::deadline(std::chrono::floor<std::chrono::milliseconds>(unix_time),
                                          options.input.spec.timeout, options.environment);
  options.input.starts_before = plan::starts_before(options.environment);
  options.input.secret = probe::random_digits(32);
  go_on_with_links(options);
  const auto told = options.told;
  auto report = process::caught(
      [&] { return Head(std::move(options), std::move(guard), std::move(*logs)).run(); });
  if (report && told) told(model::RunEnded{*report});
  return report;
}

}  // namespace muster::head
