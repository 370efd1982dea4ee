// The agent's decisions; see the table of states in the header.
#include "machine/agent_machine.hpp"

#include <algorithm>
#include <csignal>

#include "machine/host_clock.hpp"

namespace muster::machine {

using base::Duration;
using base::Instant;

namespace {

// Leaves as many whole lines as have room; of a single long line, its beginning.
void cut_to(std::size_t most, std::string& lines) {
  if (lines.size() <= most) return;
  lines.resize(most);
  lines.resize(std::min(lines.rfind('\n'), most - 1) + 1);
}

}  // namespace

void AgentMachine::step(Instant now, AgentEvent event, AgentEffects& out) {
  now_ = now;
  if (state_ == State::fresh && heard_ == Instant{}) listen_anew();
  if (state_ == State::quit) return;
  std::visit([&](auto& one) { on(one, out); }, event);
}

std::optional<Instant> AgentMachine::deadline() const {
  if (state_ == State::quit) return std::nullopt;
  return base::sooner(next_look(), kill_at_);
}

// ---- what the head says -----------------------------------------------------------------------

void AgentMachine::on(wire::ToAgent& message, AgentEffects& out) {
  std::visit([&](auto& one) { hear(one, out); }, message);
  listen_anew();
}

void AgentMachine::hear(wire::Hello& message, AgentEffects& out) {
  greeted_ = now_;
  node_ = message.node;
  if (state_ == State::done) return begin_round(out);
  if (state_ != State::fresh) return;
  state_ = State::greeted;
  lease_ = Duration(message.lease_ms);
  grace_ = Duration(message.grace_ms);
  if (guard_lost_) return refuse_unguarded(out);
  out.push_back(SetGuard{std::min(grace_, kOrphanGrace), lease_, options_.leased});
  if (message.topology) return out.push_back(ReadTopology{});
  if (message.ports > 0) return out.push_back(ClaimPorts{message.ports});
  welcome(out);
}

void AgentMachine::begin_round(AgentEffects& out) {
  state_ = State::greeted;
  if (guard_lost_) return refuse_unguarded(out);
  tasks_.clear();
  told_.reset();
  register_ = {};
  killed_ = 0;
  leftovers_.clear();
  out.push_back(BeginRound{});
}

void AgentMachine::on(RoundBegun& event, AgentEffects& out) {
  if (state_ != State::greeted) return;
  options_.facts.port = event.port;
  welcome(out);
}

void AgentMachine::welcome(AgentEffects& out) {
  tell(wire::Welcome{wire::kProtocol, options_.version, options_.facts, to_wire(greeted_),
                     to_wire(now_), options_.shared},
       out);
}

void AgentMachine::hear(wire::World& message, AgentEffects&) {
  if (may_add()) told_ = std::move(message);
}

void AgentMachine::hear(wire::Prepare& message, AgentEffects& out) {
  if (message.world > 1) return add_world(message, out);
  if (state_ != State::greeted) return;
  auto orders = ordered(message);
  if (!orders) return refuse(std::move(orders.error()), out);
  state_ = State::checking;
  ended_below_ = drained_below_ = {};
  for (const TaskOrder& task : orders->tasks) tasks_[task.rank] = {};
  register_.expect(1, tasks_.size());
  out.push_back(Check{std::move(*orders)});
}

// Either tasks run already, or these would be the first.
bool AgentMachine::may_add() const { return state_ == State::greeted || state_ == State::running; }

// Once tasks end here for good, the head learns from Stopped that nothing can be added.
void AgentMachine::add_world(const wire::Prepare& message, AgentEffects& out) {
  if (!may_add()) return;
  auto orders = ordered(message);
  if (!orders) return tell(wire::Declined{message.world, std::move(orders.error())}, out);
  ended_below_ = drained_below_ = {};
  for (const TaskOrder& task : orders->tasks) {
    tasks_[task.rank] = {Life::planned, message.world, true, true};
  }
  register_.expect(message.world, orders->tasks.size());
  out.push_back(Check{std::move(*orders)});
}

void AgentMachine::world_checked(Checked& event, AgentEffects& out) {
  if (!may_add()) return;
  if (!event.error) return tell(wire::Prepared{event.world}, out);
  tell(wire::Declined{event.world, std::move(*event.error)}, out);
  forget_planned();
  sweep_when_all_ended(out);
}

void AgentMachine::start_world(std::uint32_t world, AgentEffects& out) {
  if (!may_add()) return;
  if (guard_lost_) return finish(out);
  told_.reset();
  state_ = State::running;
  for (auto& [rank, task] : tasks_) {
    if (task.life != Life::planned || task.world != world) continue;
    task.life = Life::waiting;
    out.push_back(StartTask{rank});
  }
}

void AgentMachine::hear(wire::Drop&, AgentEffects& out) {
  forget_planned();  // there is never more than one such world
  sweep_when_all_ended(out);
}

void AgentMachine::hear(wire::Start& message, AgentEffects& out) {
  if (message.world > 1) return start_world(message.world, out);
  if (state_ != State::ready) return;
  if (guard_lost_) return finish(out);
  told_.reset();
  state_ = State::running;
  for (auto& [rank, task] : tasks_) out.push_back(StartTask{rank});
}

void AgentMachine::hear(wire::Signal& message, AgentEffects& out) {
  if (has_processes()) signal_all(message.number, out);
}

void AgentMachine::hear(wire::Trace& message, AgentEffects& out) {
  if (state_ != State::running) return;
  for (const auto& [rank, task] : tasks_) {
    if (task.life == Life::running) out.push_back(TraceTask{rank, message.stacks});
  }
}

void AgentMachine::hear(wire::Stop& message, AgentEffects& out) {
  tell_attendance(register_.untold(), out);
  end_tasks(message.number, Duration(message.grace_ms), out);
}

void AgentMachine::hear(wire::Input& message, AgentEffects& out) {
  if (tasks_.contains(message.rank)) {
    out.push_back(WriteInput{message.rank, std::move(message.bytes)});
  }
}

void AgentMachine::hear(wire::InputEnd& message, AgentEffects& out) {
  if (tasks_.contains(message.rank)) out.push_back(CloseInput{message.rank});
}

void AgentMachine::hear(wire::Credit& message, AgentEffects& out) {
  if (tasks_.contains(message.rank)) {
    out.push_back(AddCredit{message.rank, message.stream, message.bytes});
  }
}

void AgentMachine::hear(wire::Suspend& message, AgentEffects&) { suspended_ = message.suspended; }

void AgentMachine::hear(wire::FenceOut& message, AgentEffects& out) {
  if (has_processes()) out.push_back(ToWireup{std::move(message)});
}

void AgentMachine::hear(wire::NameAnswer& message, AgentEffects& out) {
  if (has_processes()) out.push_back(ToWireup{std::move(message)});
}

void AgentMachine::hear(wire::Spawned& message, AgentEffects& out) {
  if (has_processes()) out.push_back(ToWireup{std::move(message)});
}

// The worlds that a host's first ranks must know are told before they start.
void AgentMachine::hear(wire::PmixDown& message, AgentEffects& out) {
  if (!has_processes() && !any(Life::planned)) return;
  if (auto* add = std::get_if<wire::pmix::AddJob>(&message.command)) {
    add->node = node_.value;
    if (auto error = objection(*add)) return refuse(std::move(*error), out);
  }
  out.push_back(ToWireup{std::move(message)});
}

// A head that wonders who has called MPI_Init learns it from what comes before the answer.
void AgentMachine::hear(wire::Ping&, AgentEffects& out) {
  tell_attendance(register_.untold(), out);
  tell(wire::Pong{to_wire(now_)}, out);
}

void AgentMachine::hear(wire::Bye&, AgentEffects& out) {
  LinkClosed closed;
  on(closed, out);
}

void AgentMachine::hear(wire::ToLauncher& message, AgentEffects& out) {
  out.push_back(AnswerLauncherHere{std::move(message)});
}

// These are for heads alone.
void AgentMachine::hear(wire::Reach&, AgentEffects&) {}
void AgentMachine::hear(wire::Release&, AgentEffects&) {}

// It is for the agent outside of a container, before there is a run.
void AgentMachine::hear(wire::Contain&, AgentEffects&) {}

// ---- what happens here ------------------------------------------------------------------------

void AgentMachine::on(LinkClosed&, AgentEffects& out) {
  link_open_ = false;
  if (!has_processes()) return quit(out);
  out.push_back(DiscardOutput{});
  end_tasks(SIGTERM, std::min(grace_, kOrphanGrace), out);
}

void AgentMachine::on(TopologyRead& event, AgentEffects& out) {
  if (state_ != State::greeted) return;
  if (!event.topology) return refuse(std::move(event.topology.error()), out);
  options_.facts.topology = std::move(*event.topology);
  welcome(out);
}

void AgentMachine::on(PortsClaimed& event, AgentEffects& out) {
  if (state_ != State::greeted) return;
  if (!event.ports) return refuse(std::move(event.ports.error()), out);
  options_.facts.rank_ports = std::move(*event.ports);
  welcome(out);
}

void AgentMachine::on(Checked& event, AgentEffects& out) {
  if (event.world > 1) return world_checked(event, out);
  if (state_ != State::checking) return;
  if (event.error) {
    tasks_.clear();
    state_ = State::greeted;
    return refuse(*event.error, out);
  }
  if (event.taken) {
    tasks_.clear();
    state_ = State::greeted;
    return tell(std::move(*event.taken), out);
  }
  state_ = State::ready;
  tell(wire::Prepared{1, std::move(event.outside), std::move(event.no_memory),
                      std::move(event.unanswered)},
       out);
}

void AgentMachine::on(TaskSpawned& event, AgentEffects& out) {
  Task& task = tasks_[event.rank];
  if (event.pid != 0) {
    task.life = Life::running;
    tell(wire::Started{event.rank, event.pid}, out);
    return;
  }
  task.life = Life::ended;
  event.error.what =
      fmt::format("rank {} could not be started: {}", event.rank.value, event.error.what);
  refuse(std::move(event.error), out);
  if (state_ == State::running) end_tasks(SIGTERM, grace_, out);
  sweep_when_all_ended(out);
}

void AgentMachine::on(TaskEnded& event, AgentEffects& out) {
  Task& task = tasks_[event.exit.rank];
  if (task.life == Life::ended || state_ == State::done) return;
  task.life = Life::ended;
  tell_attendance(register_.untold(), out);
  wire::Exited exited{event.exit, {}, to_wire(event.at == Instant{} ? now_ : event.at), {}};
  if (event.exit.failed() && state_ == State::running) exited.around.emplace();
  tell(std::move(exited), out);
  sweep_when_all_ended(out);
}

void AgentMachine::on(TaskTraced& event, AgentEffects& out) {
  cut_to(wire::kStackMax, event.traced.stack);
  tell(std::move(event.traced), out);
}

void AgentMachine::on(StreamEnded& event, AgentEffects& out) {
  Task& task = tasks_[event.rank];
  (event.stream == wire::Stream::out ? task.out_open : task.err_open) = false;
  tell(wire::OutputEnd{event.rank, event.stream}, out);
  finish_when_drained(out);
}

void AgentMachine::on(InputTaken& event, AgentEffects& out) {
  tell(wire::InputCredit{event.rank, event.bytes}, out);
}

void AgentMachine::on(SweepDone& event, AgentEffects& out) {
  if (state_ != State::sweeping) return;
  leftovers_ = std::move(event.leftovers);
  state_ = State::draining;
  kill_at_.reset();
  out.push_back(DrainStreams{});
  finish_when_drained(out);
}

void AgentMachine::on(JoinedWorld& event, AgentEffects& out) {
  const auto found = tasks_.find(event.rank);
  if (found == tasks_.end() || !has_processes()) return;
  tell_attendance(register_.came(found->second.world, event.rank), out, std::move(event.library));
}

void AgentMachine::on(WireupSays& event, AgentEffects& out) {
  if (has_processes()) tell(std::move(event.message), out);
}

void AgentMachine::on(LauncherSays& event, AgentEffects& out) {
  tell(std::move(event.message), out);
}

void AgentMachine::refuse_unguarded(AgentEffects& out) {
  refuse({base::Fault::lost,
          fmt::format("muster's guard process was {}{}",
                      guard_stopped_ ? "stopped for longer than --lease" : "killed",
                      has_processes() ? "; its tasks were ended" : " before the start"),
          "do not stop or kill processes named muster-guard: they clean up after a job",
          {}},
         out);
}

void AgentMachine::on(GuardLost& event, AgentEffects& out) {
  guard_lost_ = true;
  guard_stopped_ = event.stopped;
  if (state_ >= State::draining) return;
  if (state_ == State::fresh) return;  // for whom it refuses is not known before the greeting
  const bool harmless = state_ == State::sweeping && !any(Life::waiting) && !any(Life::running);
  if (!harmless) refuse_unguarded(out);
  if (!has_processes()) return;
  forget_planned();
  for (auto& [rank, task] : tasks_) task.life = Life::ended;
  state_ = State::sweeping;
  SweepDone done;
  on(done, out);
}

void AgentMachine::on(Tick&, AgentEffects& out) {
  check_silence(out);
  if (kill_at_ && now_ >= *kill_at_) kill(out);
}

// Whoever has no link has nothing to say: what our own ending does to the ranks is not their
// failure.
void AgentMachine::tell(wire::ToHead message, AgentEffects& out) {
  if (link_open_) out.push_back(ToHead{std::move(message)});
}

void AgentMachine::tell_attendance(std::vector<base::Rank> ranks, AgentEffects& out,
                                   std::string library) {
  if (!ranks.empty()) tell(wire::Attendance{std::move(ranks), std::move(library)}, out);
}

// ---- ends -------------------------------------------------------------------------------------

void AgentMachine::refuse(base::Error error, AgentEffects& out) {
  tell(wire::Refused{std::move(error)}, out);
}

void AgentMachine::signal_all(std::int32_t number, AgentEffects& out) {
  for (const auto& [rank, task] : tasks_) {
    if (task.life == Life::ended || task.life == Life::planned) continue;
    out.push_back(SignalTask{rank, number});
  }
}

void AgentMachine::end_tasks(std::int32_t number, Duration grace, AgentEffects& out) {
  if (state_ < State::running) return finish(out);
  if (state_ > State::ending) return;
  forget_planned();
  if (number == 0) return kill(out);
  if (state_ == State::running) {
    signal_all(number, out);
    signal_all(SIGCONT, out);  // a stopped task would sleep through the signal
  }
  state_ = State::ending;
  kill_at_ = base::sooner(kill_at_, now_ + grace);
  sweep_when_all_ended(out);
}

void AgentMachine::forget_planned() {
  std::erase_if(tasks_, [](const auto& entry) { return entry.second.life == Life::planned; });
}

void AgentMachine::kill(AgentEffects& out) {
  kill_at_.reset();
  if (state_ != State::running && state_ != State::ending) return;
  killed_ = static_cast<std::uint32_t>(std::ranges::count_if(
      tasks_, [](const auto& entry) { return entry.second.life != Life::ended; }));
  state_ = State::sweeping;
  out.push_back(Sweep{});
}

void AgentMachine::sweep_when_all_ended(AgentEffects& out) {
  if (state_ != State::running && state_ != State::ending) return;
  if (!all_ended()) return;
  kill_at_.reset();
  state_ = State::sweeping;
  out.push_back(Sweep{});
}

void AgentMachine::finish_when_drained(AgentEffects& out) {
  if (state_ != State::draining) return;
  if (all_drained()) finish(out);
}

void AgentMachine::finish(AgentEffects& out) {
  state_ = State::done;
  tell(wire::Stopped{killed_, leftovers_}, out);
  if (!link_open_) quit(out);
}

void AgentMachine::quit(AgentEffects& out) {
  state_ = State::quit;
  out.push_back(Quit{});
}

bool AgentMachine::any(Life life) const {
  return std::ranges::any_of(tasks_, [&](const auto& entry) { return entry.second.life == life; });
}

bool AgentMachine::all_ended() {
  auto task = tasks_.lower_bound(ended_below_);
  while (task != tasks_.end() && task->second.life == Life::ended) ++task;
  if (task == tasks_.end()) return true;
  ended_below_ = task->first;
  return false;
}

bool AgentMachine::all_drained() {
  auto task = tasks_.lower_bound(drained_below_);
  while (task != tasks_.end() && !task->second.out_open && !task->second.err_open) ++task;
  if (task == tasks_.end()) return true;
  drained_below_ = task->first;
  return false;
}

bool AgentMachine::has_processes() const {
  return state_ >= State::running && state_ <= State::draining;
}

}  // namespace muster::machine
