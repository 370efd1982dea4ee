// A run's way down: failures, limits, stopping, the report.
#include <algorithm>
#include <csignal>

#include "base/check.hpp"
#include "machine/run.hpp"
#include "machine/told_to_end.hpp"
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
// For servers that end by themselves when nobody asks them any more.
constexpr Duration kServersTime = std::chrono::seconds(1);
// A batch system that ends a job signals ranks, agents and the head one after the other.
constexpr Duration kSignalForAll = std::chrono::seconds(3);
// A batch system signals the processes of a job one after the other: ours may be the last.
constexpr Duration kSignalIsLate = std::chrono::seconds(1);
// Hosts that fail for one reason fail within a moment.
constexpr Duration kOthersFail = std::chrono::seconds(1);

}  // namespace

// ---- ranks ------------------------------------------------------------------------------------

void Run::exited(NodeIndex node, wire::Exited& message, const HostClock& clock, RunEffects& out) {
  const model::RankExit exit = message.exit;
  if (ranks_.has_ended(exit.rank)) return;
  tell(model::RankEnded{exit}, out);
  count_end(exit.rank, out);
  if (!stop_) wireup_.left(exit.rank, exit.failed());
  Death death{exit,
              node,
              clock.when(from_wire(message.at_us), now_),
              std::move(message.error_file),
              std::move(message.around).value_or(model::Circumstances{}),
              host(node)};
  if (message.told_us != 0) death.told = clock.when(from_wire(message.told_us), now_);
  if (failed_by_itself(death)) {
    note_failure(std::move(death));
    if (ends_others(exit)) stop_all(SIGTERM, input_.spec.grace, out);
  } else if (stop_ && !verdict_.is_of(exit.rank)) {
    verdict_.ended_by_us();
  }
  if (only_servers_left()) servers_end_at_ = base::sooner(servers_end_at_, now_ + kServersTime);
  look_for_deserter(out);
  input_flow(out);
}

// Once others have been told to end: was it our signal, or a fault of its own? One that ended
// before that, by the clocks, cannot have been ended by us; of the others its end is all that we
// know.
bool Run::failed_by_itself(const Death& death) const {
  const model::RankExit& exit = death.exit;
  if (!exit.failed()) return false;
  if (!stop_) return true;
  if (ended_by_its_agent(death)) return false;
  if (verdict_.so_far().cause != model::Cause::rank_failed) return false;
  if (verdict_.is_of(exit.rank)) return false;
  if (death.when && death.when->latest < stop_->at) return true;
  if (told_in_time(death) || explains_abort(death)) return true;
  return exit.signal != stop_->signal && exit.signal != SIGKILL && exit.code != 128 + stop_->signal;
}

// An agent that cannot start one rank ends the others there before we tell it to.
bool Run::ended_by_its_agent(const Death& death) const {
  const model::RankExit& exit = death.exit;
  if (!nodes_[death.node.value].refused || told_in_time(death)) return false;
  return exit.signal == SIGTERM || exit.signal == SIGKILL || exit.code == 128 + SIGTERM;
}

// Our signal then came while its interpreter was ending.
bool Run::told_in_time(const Death& death) const {
  return stop_ && death.told && death.told->latest < stop_->at;
}

// A library aborts the job within a millisecond when a peer's connection closes, which may be
// sooner than the peer's guard tells of its end. We send SIGKILL ourselves only after the grace.
bool Run::explains_abort(const Death& death) const {
  if (!stop_ || !verdict_.so_far().aborted || !ends_others(death.exit)) return false;
  if (told_in_time(death)) return true;
  if (!death.when) return false;
  const bool is_killed = death.exit.signal == SIGKILL && !stop_->at_once;
  return death.when->latest < stop_->at + (is_killed ? input_.spec.grace : Duration(0));
}

bool Run::ends_others(const model::RankExit& exit) const {
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

void Run::note_failure(Death death) {
  const bool in_time = !stop_ || (death.when && death.when->latest < stop_->at);
  // With an exception that nobody catches, Python and torch's @record end with 1.
  if (told_in_time(death) && death.exit.signal == stop_->signal) {
    death.exit.signal = 0;
    death.exit.code = 1;
  }
  if (explains_abort(death)) verdict_.abort_is_explained();
  verdict_.failed(std::move(death), in_time);
}

// Servers wait for requests for ever: the job is done when everybody else is.
bool Run::only_servers_left() const { return ranks_.only_servers_left() && wireup_.worlds() == 1; }

void Run::count_end(Rank rank, RunEffects& out) {
  if (!ranks_.end(rank)) return;
  std::uint32_t& busy = nodes_[input_.plan.ranks[rank.value].node.value].busy;
  CHECK(busy > 0);
  --busy;
  stdin_.left(rank);
  if (ranks_.alive() == 0) reach(model::Phase::ended, out);
}

// ---- hosts ------------------------------------------------------------------------------------

void Run::hear(NodeIndex node, wire::Refused& message, RunEffects& out) {
  nodes_[node.value].refused = true;
  const bool was_ended = !stop_ && message.error.what.starts_with(kToldToEnd);
  if (nodes_.size() > 1) message.error.what = host(node) + ": " + message.error.what;
  if (may_go_on_without(node)) return host_missed(node, std::move(message.error), out);
  if (was_ended) {
    fault(std::move(message.error), host(node), out);
    return verdict_.host_was_ended();
  }
  fail_on_the_way(node, std::move(message.error), out);
}

void Run::lose(NodeIndex index, Error error, RunEffects& out) {
  Node& node = nodes_[index.value];
  if (node.state == NodeState::stopped) node.away = true;
  if (node.state >= NodeState::stopped) return;
  const bool had_tasks = node.state == NodeState::running;
  const bool is_idle = may_go_on_without(index);
  node.state = NodeState::gone;
  tell(model::HostLost{index, error.what}, out);
  if (had_tasks) forget_tasks(index, out);
  if (stop_) {
    if (had_tasks) verdict_.warn(error.what + "; its ranks end by themselves");
  } else if (is_idle) {
    host_missed(index, std::move(error), out);
  } else if (!node.failed) {  // else why has been told, or will be
    fault(std::move(error), host(index), out);
  }
  // Whoever waits for it there: one that takes its time to end shall not wait for ever.
  if (pmix_) tell_servers(pmix_->lost(index), out);
  leave_when_stopped(out);
}

// Its agent is not to be believed, or not to be waited for.
void Run::cut(NodeIndex node, std::string_view why, RunEffects& out) {
  out.push_back(DropHost{node});
  lose(node, {Fault::lost, fmt::format("{}: {}", host(node), why), {}, {}}, out);
}

// Ranks of a lost host count as ended: nothing more will be heard of them.
void Run::forget_tasks(NodeIndex index, RunEffects& out) {
  for (const Rank rank : input_.plan.nodes[index.value].ranks) count_end(rank, out);
}

void Run::hear(NodeIndex index, wire::Stopped& message, RunEffects& out) {
  if (nodes_[index.value].state != NodeState::running) return;
  nodes_[index.value].state = NodeState::stopped;
  if (pmix_) pmix_->forget(index);
  wireup_.ended(index);
  verdict_.killed(message.killed);
  for (const std::string& left : message.leftovers) {
    verdict_.warn(fmt::format("{}: {} could not be ended", host(index), left));
  }
  // After our own Stop such a rank could not be ended; before it, nobody would know how it went.
  if (!all_ended(index)) {
    fault({Fault::lost,
           fmt::format("{}: its agent did not report how all its ranks ended", host(index)),
           {},
           {}},
          host(index), out);
    forget_tasks(index, out);
  }
  conclude(spawns_.host_ended(index), out);
  leave_when_stopped(out);
}

bool Run::all_work_ended() const {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].state < NodeState::stopped && !idle(NodeIndex(i))) return false;
  }
  return true;
}

bool Run::all_ended(NodeIndex index) const {
  return std::ranges::all_of(input_.plan.nodes[index.value].ranks,
                             [&](Rank rank) { return ranks_.has_ended(rank); });
}

// ---- stopping ---------------------------------------------------------------------------------

// A person who mends one host after the other would like to know of all that need it.
void Run::fail_on_the_way(NodeIndex node, Error error, RunEffects& out) {
  if (stop_ || over() || state_ == State::running) return fault(std::move(error), host(node), out);
  if (!failed_) failed_ = FailedHosts{{}, host(node), now_ + kOthersFail};
  failed_->errors.push_back(std::move(error));
  nodes_[node.value].failed = true;
  tell_failed_hosts(out);
}

bool Run::may_hear_of_others() const {
  const NodeState next = state_ == State::opening ? NodeState::greeted : NodeState::prepared;
  return std::ranges::any_of(nodes_, [&](const Node& node) {
    const bool is_asked = state_ == State::opening || !node.joined;
    return is_asked && !node.failed && node.state < next;
  });
}

void Run::tell_failed_hosts(RunEffects& out) {
  if (!failed_ || (now_ < failed_->told_at && may_hear_of_others())) return;
  FailedHosts told = *std::exchange(failed_, std::nullopt);
  base::Errors all;
  for (Error& one : told.errors) all.add(std::move(one));
  fault(std::move(all).together(), told.first, out);
}

void Run::fault(Error error, const std::string& where, RunEffects& out) {
  if (stop_ || over()) return;
  if (failed_) {  // what has been kept back came first
    failed_->errors.push_back(std::move(error));
    failed_->told_at = now_;
    return tell_failed_hosts(out);
  }
  verdict_.fault(std::move(error), where);
  stop_all(SIGTERM, input_.spec.grace, out);
}

void Run::stop_all(std::int32_t number, Duration grace, RunEffects& out) {
  const bool at_once = number == 0;
  if (over() || (stop_ && (!at_once || stop_->at_once))) return;
  if (!stop_) stop_ = Stopping{now_, number};
  stop_->at_once = at_once;
  state_ = State::stopping;
  failed_.reset();
  spawns_ = {};
  verdict_.stopping(grace);
  give_up_at_ = base::sooner(give_up_at_, now_ + (at_once ? kKillSlack : grace + kStopSlack));
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) stop_node(NodeIndex(i), number, grace, out);
  leave_when_stopped(out);
}

void Run::stop_node(NodeIndex index, std::int32_t number, Duration grace, RunEffects& out) {
  Node& node = nodes_[index.value];
  if (node.state >= NodeState::stopped) return;
  if (node.state == NodeState::running) {
    out.push_back(ToNode{index, wire::Stop{number, static_cast<std::uint32_t>(grace.count())}});
    return;
  }
  // No task has been started there: an agent that has spoken is told to go, others are cut off.
  if (node.state == NodeState::waiting) {
    out.push_back(NotAwaited{index});
    node.state = NodeState::gone;
    return;
  }
  if (node.state == NodeState::up) out.push_back(NotAwaited{index});
  node.state = NodeState::stopped;
}

// What looks like failures may be the end of the batch job around, which we would soon hear of.
bool Run::may_be_explained() const {
  // Whoever tells a host to end may be about to tell us.
  const bool may_come =
      input_.spec.source.of_batch_job || verdict_.so_far().cause == model::Cause::fault;
  return may_come && stop_ && !wish_.is_there() && now_ < stop_->at + kSignalIsLate &&
         verdict_.explained_by(SIGTERM);
}

void Run::leave_when_stopped(RunEffects& out) {
  if (over() || !all_work_ended()) return;
  if (may_be_explained()) {
    give_up_at_ = stop_->at + kSignalIsLate;
    return;
  }
  dismiss_idle(out);
  // A failure that came before all ranks could start is an agent's nonsense, and no round's end.
  if (ranks_.alive() == 0 && may_restart(now_)) return begin_round(out);
  state_ = State::over;
  give_up_at_.reset();
  model::RunReport ended = report();
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].state == NodeState::stopped && !nodes_[i].away) {
      out.push_back(FreeHost{NodeIndex(i), bye(NodeIndex(i), ended)});
    }
  }
  tell(model::RunEnded{std::move(ended)}, out);
}

// Who started a node by hand is told there how the job ended.
wire::Bye Run::bye(NodeIndex node, const model::RunReport& report) const {
  if (!input_.plan.nodes[node.value].host.carrier.own_console) return {};
  return {view::report(report, {}), static_cast<std::uint32_t>(report.exit_code())};
}

// ---- limits -----------------------------------------------------------------------------------

void Run::tick(base::Instant now, RunEffects& out) {
  now_ = now;
  if (servers_end_at_ && now_ >= *servers_end_at_ && !stop_) {
    stop_all(SIGTERM, input_.spec.grace, out);
  }
  tell_failed_hosts(out);
  give_notice(out);
  if (time_limit_.is_up(now_) && !stop_ && !over()) time_is_up(out);
  if (!stop_) check_roll(out);
  if (!stop_) watch_roll(out);
  if (!give_up_at_ || now_ < *give_up_at_) return;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) give_up(NodeIndex(i), out);
  leave_when_stopped(out);
}

void Run::give_up(NodeIndex node, RunEffects& out) {
  if (nodes_[node.value].state >= NodeState::stopped) return;
  cut(node, "its agent did not end its ranks in time", out);
}

// ---- signals ----------------------------------------------------------------------------------

void Run::output_closed(base::Instant now, RunEffects& out) {
  if (!stop_) interrupt(SIGPIPE, now, out);
}

// Slurm sends SIGTERM to all when a job's time is over.
void Run::blame(std::int32_t number) {
  if (number != SIGTERM || !time_limit_.is_allocation_over(now_)) {
    return verdict_.interrupted(number, input_.spec.source.of_batch_job);
  }
  verdict_.fault(
      {Fault::timeout,
       kBatchJobOver,
       "--notice of muster run, or notice: of a job file, tells ranks before; --time of sbatch, or "
       "time: of the target, asks for more",
       {}},
      "");
}

void Run::interrupt(std::int32_t number, base::Instant now, RunEffects& out) {
  now_ = now;
  const bool was_wished = wish_.is_there();
  if (wish_.hear(number, now)) return stop_all(0, Duration{0}, out);
  if (was_wished) return;
  const bool is_for_all = stop_ && now - stop_->at <= kSignalForAll;
  if (is_for_all && verdict_.explained_by(number)) blame(number);
  if (!stop_ && !over()) {
    blame(number);
    const std::uint32_t alive = ranks_.alive();
    if (number != SIGPIPE && state_ == State::running) {
      tell(model::Interrupted{alive}, out);
    }
  }
  // Ranks learn of a reader that has gone the way a shell's pipeline does: they are terminated.
  stop_all(number == SIGPIPE ? SIGTERM : number, input_.spec.grace, out);
  leave_when_stopped(out);
}

// Nobody has asked for it a second time: ranks that are ending keep their grace.
void Run::outer_over(base::Instant now, RunEffects& out) {
  now_ = now;
  if (failed_) failed_->told_at = now;  // its own failure has come first
  tell_failed_hosts(out);
  if (!stop_) return interrupt(SIGTERM, now, out);
  wish_.note(now);  // no other round follows
}

void Run::signal(std::int32_t number, RunEffects& out) const {
  to_all_running(wire::Signal{number}, out);
}

void Run::to_running(NodeIndex node, wire::ToAgent message, RunEffects& out) const {
  if (nodes_[node.value].state != NodeState::running) return;
  out.push_back(ToNode{node, std::move(message)});
}

void Run::to_all_running(const wire::ToAgent& message, RunEffects& out) const {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) to_running(NodeIndex(i), message, out);
}

bool Run::keeps(NodeIndex index, base::Instant now) const {
  const Node& node = nodes_[index.value];
  if (node.failed || node.state == NodeState::waiting || node.state == NodeState::gone)
    return false;
  if (node.state < NodeState::stopped) return true;
  // One that may be wanted for spawned ranks, or for another round, waits for the others.
  return !node.away && (state_ == State::running || (stop_ && may_restart(now)));
}

model::RunReport Run::report() const {
  model::RunReport report = verdict_.report();
  const bool lost = std::ranges::any_of(first_world().nodes, [&](NodeIndex index) {
    const Node& node = nodes_[index.value];
    return node.state == NodeState::gone && node.facts;
  });
  if (lost && round_ < input_.spec.max_restarts) {
    report.warnings.emplace_back("no restart: ranks cannot be restarted on a lost host");
  }
  report.joining = wireup_.status().joining;
  report.missing = missing();
  report.missing_total = static_cast<std::uint32_t>(report.missing.size());
  report.missing.resize(std::min(report.missing.size(), kOthersMax));
  return report;
}

}  // namespace muster::machine
