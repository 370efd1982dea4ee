// The head's way down: failures, signals, limits, stopping, leaving, the report.
#include <algorithm>
#include <csignal>
#include <span>

#include "base/check.hpp"
#include "machine/head_machine.hpp"
#include "view/report.hpp"

namespace muster::machine {

using base::Duration;
using base::Error;
using base::Fault;
using base::NodeIndex;
using base::Rank;

namespace {

// After the grace an agent needs up to 5 s for its sweep; the rest is for a slow link.
constexpr Duration kStopSlack = std::chrono::seconds(12);
constexpr Duration kKillSlack = std::chrono::seconds(7);
constexpr Duration kLeaveTime = std::chrono::seconds(1);
constexpr std::size_t kOthersMax = 8;
// For servers that end by themselves when nobody asks them any more.
constexpr Duration kServersTime = std::chrono::seconds(1);

}  // namespace

// ---- ranks ------------------------------------------------------------------------------------

void HeadMachine::hear(NodeIndex node, wire::Exited& message, HeadEffects& out) {
  const model::RankExit exit = message.exit;
  if (tasks_[exit.rank.value].ended) return;
  count_end(exit.rank);
  if (!stop_sent_) roll_.left(exit.rank);
  Death death{exit, node, nodes_[node.value].clock.when(from_wire(message.at_us), now_),
              std::move(message.error_file),
              std::move(message.around).value_or(model::Circumstances{})};
  if (failed_by_itself(death)) {
    note_failure(std::move(death));
    if (ends_others(exit)) stop_all(SIGTERM, input_.spec.grace, out);
  } else if (stop_sent_ && !(report_.aborted && exit.rank == report_.first.rank)) {
    ++report_.ended;
  }
  if (only_servers_left()) servers_end_at_ = base::sooner(servers_end_at_, now_ + kServersTime);
  look_for_deserter(out);
  input_flow(out);
}

// Once others have been told to end: was it our signal, or a fault of its own? One that ended
// before that, by the clocks, cannot have been ended by us; of the others its end is all that we
// know.
bool HeadMachine::failed_by_itself(const Death& death) const {
  const model::RankExit& exit = death.exit;
  if (!exit.failed()) return false;
  if (!stop_sent_) return true;
  if (report_.cause != model::Cause::rank_failed) return false;
  if (report_.aborted && exit.rank == report_.first.rank) return false;
  if (death.when && death.when->latest < *stopped_at_) return true;
  return exit.signal != stop_signal_ && exit.signal != SIGKILL && exit.code != 128 + stop_signal_;
}

bool HeadMachine::ends_others(const model::RankExit& exit) const {
  switch (input_.spec.failure.others) {
    case model::OnFailure::abort:
      return true;
    case model::OnFailure::outlive_codes:
      return exit.signal != 0;
    case model::OnFailure::outlive_all:
      return false;
  }
  CHECK(false);
}

void HeadMachine::note_failure(Death death) {
  const bool in_time = !stop_sent_ || (death.when && death.when->latest < *stopped_at_);
  if (in_time) count_code(death.exit);
  failures_.push_back(death.exit);
  deaths_.add(std::move(death));
  report_.cause = model::Cause::rank_failed;
  settle_first();
}

void HeadMachine::count_code(const model::RankExit& exit) {
  report_.codes |= exit.signal != 0 ? exit.signal : exit.code;
  report_.worst = std::max(report_.worst, exit.exit_code());
}

// The codes of all that may have been first count, so that chance does not decide the job's.
void HeadMachine::settle_first() {
  if (report_.aborted) return;
  const std::vector<const Death*> deaths = deaths_.first();
  for (const Death* death : deaths) count_code(death->exit);
  report_.first = deaths.front()->exit;
  report_.host = host(deaths.front()->node);
  report_.error_file = deaths.front()->error_file;
  report_.around = deaths.front()->around;
  report_.together.clear();
  if (deaths.size() == 1) return;
  for (const Death* death : std::span(deaths).subspan(1)) {
    report_.together.push_back({death->exit, host(death->node)});
  }
  report_.together_within = FirstDeaths::spread(deaths);
}

void HeadMachine::fill_others(model::RunReport& report) const {
  const auto is_first = [&](const model::RankExit& exit) {
    return exit.rank == report.first.rank ||
           std::ranges::any_of(report.together,
                               [&](const auto& one) { return one.exit.rank == exit.rank; });
  };
  for (const model::RankExit& exit : failures_) {
    if (is_first(exit)) continue;
    ++report.others_total;
    if (report.others.size() < kOthersMax) report.others.push_back(exit);
  }
}

// Servers wait for requests for ever: the job is done when everybody else is.
bool HeadMachine::only_servers_left() const {
  return awaited_ == 0 && ended_ < tasks_.size() && parties_.size() == 1;
}

// Spawned ranks have no roles.
bool HeadMachine::serves(Rank rank) const {
  if (rank.value >= parties_.front().world.size) return false;
  return input_.spec.apps[input_.plan.ranks[rank.value].app].serves;
}

void HeadMachine::count_end(Rank rank) {
  if (std::exchange(tasks_[rank.value].ended, true)) return;
  --nodes_[input_.plan.ranks[rank.value].node.value].busy;
  if (rank.value < parties_.front().world.size && !serves(rank)) --awaited_;
  if (++ended_ == tasks_.size()) report_.phases.ended = since_start();
}

// ---- hosts ------------------------------------------------------------------------------------

void HeadMachine::hear(NodeIndex node, wire::Refused& message, HeadEffects& out) {
  if (nodes_.size() > 1) message.error.what = host(node) + ": " + message.error.what;
  if (idle(node)) return host_missed(node, std::move(message.error), out);
  fault(std::move(message.error), host(node), out);
}

void HeadMachine::on(LinkLost& event, HeadEffects& out) {
  Node& node = nodes_[event.node.value];
  node.link = false;
  if (node.state >= NodeState::stopped) return finish_when_left(out);
  lose(event.node, std::move(event.error), out);
}

void HeadMachine::lose(NodeIndex index, Error error, HeadEffects& out) {
  Node& node = nodes_[index.value];
  if (node.state >= NodeState::stopped) return;
  const bool had_tasks = node.state == NodeState::running;
  const bool is_idle = idle(index);
  node.state = NodeState::gone;
  if (had_tasks) forget_tasks(index);
  if (stop_sent_) {
    if (had_tasks) report_.warnings.push_back(error.what + "; its ranks end by themselves");
  } else if (is_idle) {
    host_missed(index, std::move(error), out);
  } else {
    fault(std::move(error), host(index), out);
  }
  // Whoever waits for it there: one that takes its time to end shall not wait for ever.
  if (pmix_) tell_servers(pmix_->lost(index), out);
  leave_when_stopped(out);
}

// Ranks of a lost host count as ended: nothing more will be heard of them.
void HeadMachine::forget_tasks(NodeIndex index) {
  for (const Rank rank : input_.plan.nodes[index.value].ranks) count_end(rank);
}

void HeadMachine::hear(NodeIndex index, wire::Stopped& message, HeadEffects& out) {
  if (nodes_[index.value].state != NodeState::running) return;
  nodes_[index.value].state = NodeState::stopped;
  if (pmix_) pmix_->forget(index);
  report_.killed += message.killed;
  for (const std::string& left : message.leftovers) {
    report_.warnings.push_back(fmt::format("{}: {} could not be ended", host(index), left));
  }
  // After our own Stop such a rank could not be ended; before it, nobody would know how it went.
  if (!all_ended(index)) {
    fault({Fault::lost,
           fmt::format("{}: its agent did not tell how all its ranks ended", host(index)),
           {},
           {}},
          host(index), out);
    forget_tasks(index);
  }
  std::erase_if(spawns_, [&](const auto& one) { return one.first == index; });  // nobody waits
  if (spawning_ && spawning_->awaited.contains(index)) {
    spawning_->host_ended = true;
    spawn_answered(index, spawning_->party.world.number, out);
  }
  leave_when_stopped(out);
}

bool HeadMachine::all_work_ended() const {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].state < NodeState::stopped && !idle(NodeIndex(i))) return false;
  }
  return true;
}

bool HeadMachine::all_ended(NodeIndex index) const {
  return std::ranges::all_of(input_.plan.nodes[index.value].ranks,
                             [&](Rank rank) { return tasks_[rank.value].ended; });
}

// ---- stopping ---------------------------------------------------------------------------------

void HeadMachine::fault(Error error, const std::string& where, HeadEffects& out) {
  if (stop_sent_ || state_ >= State::leaving) return;
  report_.cause = model::Cause::fault;
  report_.host = where;
  report_.error = std::move(error);
  stop_all(SIGTERM, input_.spec.grace, out);
}

void HeadMachine::stop_all(std::int32_t number, Duration grace, HeadEffects& out) {
  const bool at_once = number == 0;
  if (stop_sent_ && !at_once) return;
  if (state_ >= State::leaving) return;
  if (at_once && std::exchange(hastened_, true)) return;
  if (!stop_sent_) {
    stop_signal_ = number;
    stopped_at_ = now_;
  }
  stop_sent_ = true;
  state_ = State::stopping;
  spawns_.clear();
  spawning_.reset();
  joining_.reset();
  report_.grace = grace;
  give_up_at_ = base::sooner(give_up_at_, now_ + (at_once ? kKillSlack : grace + kStopSlack));
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) stop_node(NodeIndex(i), number, grace, out);
  leave_when_stopped(out);
}

void HeadMachine::stop_node(NodeIndex index, std::int32_t number, Duration grace,
                            HeadEffects& out) {
  Node& node = nodes_[index.value];
  if (node.state >= NodeState::stopped) return;
  if (node.state == NodeState::running) {
    out.push_back(ToNode{index, wire::Stop{number, static_cast<std::uint32_t>(grace.count())}});
    return;
  }
  // No task has been started there: an agent that has spoken is told to go, others are cut off.
  if (node.state == NodeState::waiting) {
    if (std::exchange(node.link, false)) out.push_back(CloseLink{index});
    node.state = NodeState::gone;
  } else {
    node.state = NodeState::stopped;
  }
}

void HeadMachine::leave_when_stopped(HeadEffects& out) {
  if (state_ >= State::leaving || !all_work_ended()) return;
  dismiss_idle(out);
  if (may_restart()) return begin_round(out);
  state_ = State::leaving;
  give_up_at_ = now_ + kLeaveTime;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].state == NodeState::stopped)
      out.push_back(ToNode{NodeIndex(i), bye(NodeIndex(i))});
  }
  finish_when_left(out);
}

// Who started a node by hand is told there how the job ended.
wire::Bye HeadMachine::bye(NodeIndex node) const {
  if (input_.plan.nodes[node.value].host.reach != model::Reach::met) return {};
  return {view::report(report(), {}), static_cast<std::uint32_t>(report_.exit_code())};
}

void HeadMachine::finish_when_left(HeadEffects& out) {
  if (state_ != State::leaving) return;
  if (std::ranges::any_of(nodes_, [](const Node& node) { return node.link; })) return;
  state_ = State::finished;
  out.push_back(Finish{});
}

// ---- limits -----------------------------------------------------------------------------------

void HeadMachine::keep_alive(HeadEffects& out) {
  if (!next_ping_ || now_ < *next_ping_) return;
  const Duration pause = input_.spec.lease / 4;
  // A tick that comes this late means that we slept ourselves: nobody else was silent.
  const bool overslept = now_ > *next_ping_ + pause;
  next_ping_ = now_ + pause;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const NodeIndex index(i);
    Node& node = nodes_[i];
    if (!leased(index)) continue;
    if (overslept) node.heard = now_;
    if (now_ < node.heard + input_.spec.lease) {
      ping(index, out);
      continue;
    }
    node.link = false;
    out.push_back(CloseLink{index});
    lose(index,
         {Fault::lost,
          fmt::format("{}: nothing heard for {:g} s", host(index),
                      std::chrono::duration<double>(input_.spec.lease).count()),
          "the host, its network or muster's agent there has stopped; ranks on a host that still "
          "runs end by themselves; --lease sets the time",
          {}},
         out);
  }
}

void HeadMachine::check_limits(HeadEffects& out) {
  if (servers_end_at_ && now_ >= *servers_end_at_ && !stop_sent_) {
    stop_all(SIGTERM, input_.spec.grace, out);
  }
  give_notice(out);
  if (timeout_at_ && now_ >= *timeout_at_ && !stop_sent_ && state_ < State::leaving) {
    time_is_up(out);
  }
  if (!stop_sent_) check_roll(out);
  if (!stop_sent_) watch_roll(out);
  if (!give_up_at_ || now_ < *give_up_at_) return;
  if (state_ == State::leaving) {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (std::exchange(nodes_[i].link, false)) out.push_back(CloseLink{NodeIndex(i)});
    }
    return finish_when_left(out);
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) give_up(NodeIndex(i), out);
}

void HeadMachine::give_up(NodeIndex index, HeadEffects& out) {
  Node& node = nodes_[index.value];
  if (node.state >= NodeState::stopped) return;
  if (std::exchange(node.link, false)) out.push_back(CloseLink{index});
  lose(index,
       {Fault::lost,
        fmt::format("{}: its agent did not end its ranks in time", host(index)),
        {},
        {}},
       out);
}

// ---- signals ----------------------------------------------------------------------------------

void HeadMachine::on(UserSignal& event, HeadEffects& out) {
  switch (event.number) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
      return interrupt(event.number, out);
    case SIGTSTP:
      return suspend(out);
    default:
      return forward(event.number, out);
  }
}

void HeadMachine::on(OutputClosed&, HeadEffects& out) {
  if (!stop_sent_) interrupt(SIGPIPE, out);
}

void HeadMachine::interrupt(std::int32_t number, HeadEffects& out) {
  if (std::exchange(interrupted_before_, true)) return stop_all(0, Duration{0}, out);
  if (!stop_sent_ && state_ < State::leaving) {
    report_.cause = model::Cause::interrupted;
    report_.signal = number;
    const auto alive = static_cast<std::uint32_t>(tasks_.size()) - ended_;
    if (number != SIGPIPE && state_ == State::running) {
      out.push_back(Say{fmt::format("ending {} rank{}; the same signal again ends {} at once",
                                    alive, alive == 1 ? "" : "s", alive == 1 ? "it" : "them")});
    }
  }
  // Ranks learn of a reader that has gone the way a shell's pipeline does: they are terminated.
  stop_all(number == SIGPIPE ? SIGTERM : number, input_.spec.grace, out);
}

void HeadMachine::forward(std::int32_t number, HeadEffects& out) {
  if (number == SIGCONT) {
    for (Node& node : nodes_) node.heard = now_;  // our own sleep is not their silence
    to_all_leased(wire::Suspend{false}, out);
  }
  to_all_running(wire::Signal{number}, out);
}

void HeadMachine::suspend(HeadEffects& out) {
  // SIGSTOP, since the kernel ignores SIGTSTP in a session without a terminal.
  to_all_running(wire::Signal{SIGSTOP}, out);
  to_all_leased(wire::Suspend{true}, out);
  out.push_back(SuspendSelf{});
}

void HeadMachine::to_all_running(const wire::ToAgent& message, HeadEffects& out) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].state == NodeState::running) out.push_back(ToNode{NodeIndex(i), message});
  }
}

// Agents that end their tasks, or themselves, when they hear nothing.
void HeadMachine::to_all_leased(const wire::ToAgent& message, HeadEffects& out) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (leased(NodeIndex(i))) out.push_back(ToNode{NodeIndex(i), message});
  }
}

bool HeadMachine::leased(NodeIndex index) const {
  const NodeState state = nodes_[index.value].state;
  if (!remote(index) || state < NodeState::up || state > NodeState::stopped) return false;
  if (state < NodeState::stopped) return true;
  // One that may be wanted for spawned ranks, or for another round, waits for the others.
  return nodes_[index.value].link && (state_ == State::running || (stop_sent_ && may_restart()));
}

model::RunReport HeadMachine::report() const {
  model::RunReport report = report_;
  const bool lost = std::ranges::any_of(parties_.front().nodes, [&](NodeIndex index) {
    const Node& node = nodes_[index.value];
    return node.state == NodeState::gone && node.facts;
  });
  if (lost && round_ < input_.spec.max_restarts) {
    report.warnings.emplace_back(
        "no restart: ranks cannot be started again on a host that is lost");
  }
  fill_others(report);
  report.missing = missing();
  report.missing_total = static_cast<std::uint32_t>(report.missing.size());
  report.missing.resize(std::min(report.missing.size(), kOthersMax));
  if (report.cause == model::Cause::rank_failed) {
    report.tail = tails_[report.first.rank.value].lines();
  }
  return report;
}

}  // namespace muster::machine
