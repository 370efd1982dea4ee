// The head's way down: failures, signals, limits, stopping, leaving, the report.
#include <algorithm>
#include <csignal>

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
// For servers that end by themselves when nobody asks them any more.
constexpr Duration kServersTime = std::chrono::seconds(1);

}  // namespace

// ---- ranks ------------------------------------------------------------------------------------

void HeadMachine::hear(NodeIndex node, wire::Exited& message, HeadEffects& out) {
  const model::RankExit exit = message.exit;
  if (ranks_.has_ended(exit.rank)) return;
  out.push_back(Tell{model::RankEnded{exit}});
  count_end(exit.rank);
  if (!stop_sent_) wireup_.left(exit.rank);
  Death death{exit,
              node,
              hosts_.clock_of(node).when(from_wire(message.at_us), now_),
              std::move(message.error_file),
              std::move(message.around).value_or(model::Circumstances{}),
              host(node)};
  if (failed_by_itself(death)) {
    note_failure(std::move(death));
    if (ends_others(exit)) stop_all(SIGTERM, input_.spec.grace, out);
  } else if (stop_sent_ && !verdict_.is_of(exit.rank)) {
    verdict_.ended_by_us();
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
  if (verdict_.so_far().cause != model::Cause::rank_failed) return false;
  if (verdict_.is_of(exit.rank)) return false;
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
  verdict_.failed(std::move(death), in_time);
}

// Servers wait for requests for ever: the job is done when everybody else is.
bool HeadMachine::only_servers_left() const {
  return ranks_.only_servers_left() && wireup_.worlds() == 1;
}

void HeadMachine::count_end(Rank rank) {
  if (!ranks_.end(rank)) return;
  std::uint32_t& busy = nodes_[input_.plan.ranks[rank.value].node.value].busy;
  CHECK(busy > 0);
  --busy;
  stdin_.left(rank);
  if (ranks_.alive() == 0) verdict_.phases().ended = since_start();
}

// ---- hosts ------------------------------------------------------------------------------------

void HeadMachine::hear(NodeIndex node, wire::Refused& message, HeadEffects& out) {
  if (nodes_.size() > 1) message.error.what = host(node) + ": " + message.error.what;
  if (idle(node)) return host_missed(node, std::move(message.error), out);
  fault(std::move(message.error), host(node), out);
}

void HeadMachine::on(LinkLost& event, HeadEffects& out) {
  hosts_.unlinked(event.node);
  if (nodes_[event.node.value].state >= NodeState::stopped) return finish_when_left(out);
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
    if (had_tasks) verdict_.warn(error.what + "; its ranks end by themselves");
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
  verdict_.killed(message.killed);
  for (const std::string& left : message.leftovers) {
    verdict_.warn(fmt::format("{}: {} could not be ended", host(index), left));
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
  conclude(spawns_.host_ended(index), out);
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
                             [&](Rank rank) { return ranks_.has_ended(rank); });
}

// ---- stopping ---------------------------------------------------------------------------------

void HeadMachine::fault(Error error, const std::string& where, HeadEffects& out) {
  if (stop_sent_ || state_ >= State::leaving) return;
  verdict_.fault(std::move(error), where);
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
  spawns_ = {};
  verdict_.stopping(grace);
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
  if (hosts_.state(index) == Hosts::State::waiting) {
    hosts_.close(index, out);
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
  if (!input_.plan.nodes[node.value].host.carrier.own_console) return {};
  return {view::report(report(), {}), static_cast<std::uint32_t>(verdict_.so_far().exit_code())};
}

void HeadMachine::finish_when_left(HeadEffects& out) {
  if (state_ != State::leaving) return;
  if (hosts_.any_link()) return;
  state_ = State::finished;
  out.push_back(Finish{});
}

// ---- limits -----------------------------------------------------------------------------------

void HeadMachine::keep_alive(HeadEffects& out) {
  if (!hosts_.beat(now_)) return;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const NodeIndex node(i);
    if (!leased(node)) continue;
    auto error = hosts_.silent(node, now_);
    if (!error) {
      hosts_.ping(node, now_, out);
      continue;
    }
    hosts_.close(node, out);
    lose(node, std::move(*error), out);
  }
}

void HeadMachine::check_limits(HeadEffects& out) {
  if (servers_end_at_ && now_ >= *servers_end_at_ && !stop_sent_) {
    stop_all(SIGTERM, input_.spec.grace, out);
  }
  give_notice(out);
  if (time_limit_.is_up(now_) && !stop_sent_ && state_ < State::leaving) time_is_up(out);
  if (!stop_sent_) check_roll(out);
  if (!stop_sent_) watch_roll(out);
  if (!give_up_at_ || now_ < *give_up_at_) return;
  if (state_ == State::leaving) {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) hosts_.close(NodeIndex(i), out);
    return finish_when_left(out);
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) give_up(NodeIndex(i), out);
}

void HeadMachine::give_up(NodeIndex index, HeadEffects& out) {
  if (nodes_[index.value].state >= NodeState::stopped) return;
  hosts_.close(index, out);
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
    verdict_.interrupted(number);
    const std::uint32_t alive = ranks_.alive();
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
    hosts_.woke(now_);
    to_all_leased(wire::Suspend{false}, out);
  }
  to_all_running(wire::Signal{number}, out);
}

void HeadMachine::suspend(HeadEffects& out) {
  // SIGSTOP, since the kernel ignores SIGTSTP in a session without a terminal.
  to_all_running(wire::Signal{SIGSTOP}, out);
  to_all_leased(wire::Suspend{true}, out);
  hosts_.sleep();
  out.push_back(SuspendSelf{});
}

void HeadMachine::to_running(NodeIndex node, wire::ToAgent message, HeadEffects& out) const {
  if (nodes_[node.value].state != NodeState::running) return;
  out.push_back(ToNode{node, std::move(message)});
}

void HeadMachine::to_all_running(const wire::ToAgent& message, HeadEffects& out) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) to_running(NodeIndex(i), message, out);
}

// Agents that end their tasks, or themselves, when they hear nothing.
void HeadMachine::to_all_leased(const wire::ToAgent& message, HeadEffects& out) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (leased(NodeIndex(i))) out.push_back(ToNode{NodeIndex(i), message});
  }
}

bool HeadMachine::leased(NodeIndex index) const {
  const NodeState state = nodes_[index.value].state;
  if (!hosts_.linked(index) || hosts_.state(index) == Hosts::State::waiting) return false;
  if (state < NodeState::stopped) return true;
  if (state == NodeState::gone) return false;
  // One that may be wanted for spawned ranks, or for another round, waits for the others.
  return hosts_.link(index) && (state_ == State::running || (stop_sent_ && may_restart()));
}

model::RunReport HeadMachine::report() const {
  model::RunReport report = verdict_.report();
  const bool lost = std::ranges::any_of(first_world().nodes, [&](NodeIndex index) {
    return nodes_[index.value].state == NodeState::gone && hosts_.facts(index);
  });
  if (lost && round_ < input_.spec.max_restarts) {
    report.warnings.emplace_back(
        "no restart: ranks cannot be started again on a host that is lost");
  }
  report.missing = missing();
  report.missing_total = static_cast<std::uint32_t>(report.missing.size());
  report.missing.resize(std::min(report.missing.size(), kOthersMax));
  return report;
}

}  // namespace muster::machine
