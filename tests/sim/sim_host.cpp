// Effects of the agent's machine become what guard and processes would do, with delays.
#include "sim/sim_host.hpp"

#include <algorithm>
#include <csignal>
#include <numeric>

#include "model/carriers.hpp"

namespace muster::sim {

using base::Rank;
using wire::Stream;

namespace {

constexpr Duration kGuardDelay(1);
constexpr Duration kGuardGrace(5000);  // after its owner has vanished

machine::AgentOptions options(const HostScript& script) {
  machine::AgentOptions options;
  options.version = "simulated";
  options.facts.hostname = "simulated";
  options.leased = script.carrier != model::kLocal;
  return options;
}

}  // namespace

SimHost::SimHost(Agenda& agenda, const HostScript& script, const Scenario& world,
                 SimHostEvents events)
    : agenda_(agenda),
      script_(script),
      task_scripts_(&world.tasks),
      events_(std::move(events)),
      machine_(options(script)),
      has_gloo_(world.gloo),
      has_pmix_(world.fences > 0),
      pmix_(agenda, world.fences, pmix_events()),
      has_pmi_(world.pmi_fences > 0),
      pmi_(agenda, world.pmi_fences, pmi_events()) {
  if (script.carrier == model::kLocal) script_.clock_ahead = Duration(0);
  feed(machine::Tick{});
}

void SimHost::belong_to(const HostScript& script, const Scenario& world) {
  script_ = script;
  if (script.carrier == model::kLocal) script_.clock_ahead = Duration(0);
  task_scripts_ = &world.tasks;
  has_gloo_ = world.gloo;
  has_pmix_ = world.fences > 0;
  pmix_.fence_times(world.fences);
  has_pmi_ = world.pmi_fences > 0;
  pmi_.fence_times(world.pmi_fences);
}

// ---- events in order, as the real pump has them -------------------------------------------------

void SimHost::feed(machine::AgentEvent event) {
  if (!events_.when_awake) return pump(std::move(event));
  events_.when_awake([this, event = std::move(event)] { pump(event); });
}

void SimHost::pump(machine::AgentEvent event) {
  if (!alive_) return;
  queue_.push_back(std::move(event));
  if (pumping_) return;
  pumping_ = true;
  while (!queue_.empty() && alive_) {
    machine::AgentEvent next = std::move(queue_.front());
    queue_.pop_front();
    machine::AgentEffects effects;
    machine_.step(agenda_.now() + script_.clock_ahead, std::move(next), effects);
    machine_.check();
    for (machine::AgentEffect& effect : effects) {
      std::visit([this](auto& one) { this->perform(one); }, effect);
    }
  }
  pumping_ = false;
  arm();
}

void SimHost::arm() {
  auto deadline = machine_.deadline();
  if (deadline) *deadline -= script_.clock_ahead;
  if (!alive_ || deadline == armed_) return;
  armed_ = deadline;
  if (deadline) agenda_.at(*deadline, [this, when = *deadline] { wake(when); });
}

void SimHost::wake(base::Instant when) {
  if (!alive_ || armed_ != when) return;
  armed_.reset();
  ticks_in_a_row_ = last_tick_ == agenda_.now() ? ticks_in_a_row_ + 1 : 0;
  last_tick_ = agenda_.now();
  if (ticks_in_a_row_ > kTicksInARow) {
    alive_ = false;
    return events_.complain("an agent spins");
  }
  feed(machine::Tick{});
}

// ---- effects ------------------------------------------------------------------------------------

void SimHost::perform(machine::ToHead& effect) { events_.to_head(std::move(effect.message)); }

void SimHost::perform(machine::ReadTopology&) {
  model::Topology topology;
  topology.allowed = model::CpuSet::range(0, 3);
  feed(machine::TopologyRead{
      model::SharedTopology{std::make_shared<const model::Topology>(std::move(topology))}});
}

void SimHost::perform(machine::ClaimPorts& effect) {
  constexpr std::uint16_t kFirst = 20'000;
  std::vector<std::uint16_t> ports(effect.count);
  std::iota(ports.begin(), ports.end(), kFirst);
  feed(machine::PortsClaimed{std::move(ports)});
}

void SimHost::perform(machine::BeginRound&) {
  if (has_processes()) events_.complain("a round begins while processes of the last one run");
  for (auto& [rank, task] : tasks_) past_.push_back(std::move(task));
  tasks_.clear();
  pmix_.begin();
  pmi_.begin();
  ++round_;
  feed(machine::RoundBegun{static_cast<std::uint16_t>(30000 + round_)});
}

void SimHost::perform(machine::Check& effect) {
  const std::uint32_t world = effect.orders.wireup.world;
  pmi_.add(effect.orders);
  if (!effect.orders.wireup.pmix_jobs.empty()) pmix_.begin();
  for (const auto& job : effect.orders.wireup.pmix_jobs) pmix_.add(job);
  for (const auto& task : effect.orders.tasks) windows_[task.rank] = effect.orders.window;
  agenda_.after(script_.checks_for, [this, world] {
    machine::Checked checked{{}, world};
    if (world == 1 ? script_.refuses : script_.declines) {
      checked.error = base::Error{base::Fault::cannot_start, "no such program", {}, {}};
    }
    feed(checked);
  });
}

void SimHost::perform(machine::StartTask& effect) {
  events_.starts(effect.rank);
  tasks_[effect.rank] =
      std::make_unique<SimTask>(agenda_, effect.rank, script_of(effect.rank),
                                windows_.at(effect.rank), task_events(effect.rank));
  order([this, rank = effect.rank] { spawn(rank); }, script_.spawn_takes);
}

TaskScript SimHost::script_of(Rank rank) const {
  TaskScript script = (*task_scripts_)[rank.value % task_scripts_->size()];
  if (script.heals != 0 && round_ >= script.heals) script.code = script.signal = 0;
  return script;
}

void SimHost::plan_spawns(Rank rank) {
  if (rank.value >= kSpawnersMax) return;
  const TaskScript script = script_of(rank);
  for (const Duration& when : script.spawns) {
    agenda_.after(when, [this, rank, task = tasks_.at(rank).get(), ranks = script.spawn_ranks] {
      if (!alive_ || !task->alive()) return;
      wire::Spawn spawn{++last_spawn_, rank, false, {{{"child"}, {}, ranks, {}}}, {}};
      feed(machine::WireupSays{std::move(spawn)});
    });
  }
}

void SimHost::plan_join(Rank rank) {
  const TaskScript script = script_of(rank);
  if (!script.joins) return;
  const Duration when = *script.joins + (has_gloo_ ? script_.latency : Duration(0));
  agenda_.after(when, [this, rank, task = tasks_.at(rank).get()] {
    if (alive_ && task->alive()) join(rank);
  });
}

void SimHost::join(Rank rank) {
  if (has_gloo_) return events_.tells_store(rank);
  feed(machine::JoinedWorld{rank});
  if (has_pmix_) pmix_.joined(rank);
  if (has_pmi_) pmi_.joined(rank);
}

SimPmixEvents SimHost::pmix_events() {
  SimPmixEvents events;
  events.up = [this](pmix::Upcall upcall) {
    feed(machine::WireupSays{wire::PmixUp{std::move(upcall)}});
  };
  events.alive = [this](Rank rank) {
    const auto found = tasks_.find(rank);
    return alive_ && found != tasks_.end() && found->second->alive();
  };
  events.complain = [this](const std::string& what) { events_.complain(what); };
  return events;
}

SimPmiEvents SimHost::pmi_events() {
  SimPmiEvents events;
  events.up = [this](wire::FenceIn part) { feed(machine::WireupSays{std::move(part)}); };
  events.alive = pmix_events().alive;
  events.complain = [this](const std::string& what) { events_.complain(what); };
  return events;
}

// The answers to Spawn are for MPI programs alone.
void SimHost::perform(machine::ToWireup& effect) {
  if (const auto* down = std::get_if<wire::PmixDown>(&effect.message)) pmix_.hear(down->command);
  if (const auto* fence = std::get_if<wire::FenceOut>(&effect.message)) pmi_.hear(*fence);
}

SimTaskEvents SimHost::task_events(Rank rank) {
  SimTaskEvents events;
  const auto bytes = [this, rank](Stream stream) {
    return [this, rank, stream](std::uint64_t offset, std::uint32_t count) {
      if (alive_) events_.output(rank, stream, offset, count);
    };
  };
  events.out_bytes = bytes(Stream::out);
  events.err_bytes = bytes(Stream::err);
  events.out_ended = [this, rank] { feed(machine::StreamEnded{rank, Stream::out}); };
  events.err_ended = [this, rank] { feed(machine::StreamEnded{rank, Stream::err}); };
  events.exited = [this](const model::RankExit& exit) {
    if (!guard_alive_) return;
    agenda_.after(kGuardDelay, [this, exit] { feed(machine::TaskEnded{exit}); });
  };
  events.input_taken = [this, rank](std::uint32_t count) {
    agenda_.after(kGuardDelay, [this, rank, count] { feed(machine::InputTaken{rank, count}); });
  };
  return events;
}

void SimHost::perform(machine::SignalTask& effect) {
  order([this, effect] { tasks_.at(effect.rank)->signal(effect.number); });
}

void SimHost::perform(machine::TraceTask& effect) {
  feed(machine::TaskTraced{{effect.rank, "running", effect.stack ? "#0 main ()\n" : ""}});
}

void SimHost::perform(machine::WriteInput& effect) {
  const auto found = tasks_.find(effect.rank);
  if (found != tasks_.end()) found->second->write_input(effect.bytes.size());
}

void SimHost::perform(machine::CloseInput& effect) {
  const auto found = tasks_.find(effect.rank);
  if (found != tasks_.end()) found->second->close_input();
}

void SimHost::perform(machine::AddCredit& effect) {
  const auto found = tasks_.find(effect.rank);
  if (found == tasks_.end()) return;
  (effect.stream == Stream::out ? found->second->out : found->second->err).add_credit(effect.bytes);
}

void SimHost::perform(machine::Sweep&) {
  order(
      [this] {
        events_.sweep([this] {
          for (auto& [rank, task] : tasks_) task->kill_all();
        });
        agenda_.after(kGuardDelay, [this] {
          if (guard_alive_) feed(machine::SweepDone{});
        });
      },
      script_.sweep_takes);
}

void SimHost::perform(machine::DrainStreams&) {
  for (auto& [rank, task] : tasks_) {
    task->out.drain();
    task->err.drain();
  }
}

void SimHost::perform(machine::DiscardOutput&) {
  for (auto& [rank, task] : tasks_) {
    task->out.discard();
    task->err.discard();
  }
}

void SimHost::perform(machine::LookForHead&) { feed(machine::HeadSeen{events_.head_answers()}); }

void SimHost::perform(machine::DropLink&) { events_.link_dropped(); }

void SimHost::perform(machine::Quit&) {
  if (has_processes()) events_.complain("an agent quits while processes of its tasks run");
  alive_ = false;
  events_.quit();
}

// ---- the guard ----------------------------------------------------------------------------------

// Orders are carried out one after the other, each in its time; those to a dead guard never.
void SimHost::order(std::function<void()> what, Duration takes) {
  guard_free_ = std::max(guard_free_, agenda_.now() + kGuardDelay) + takes;
  agenda_.at(guard_free_, [this, what = std::move(what)] {
    if (guard_alive_) what();
  });
}

void SimHost::spawn(Rank rank) {
  SimTask& task = *tasks_.at(rank);
  if (!alive_) return task.not_started();
  machine::TaskSpawned spawned{rank, static_cast<std::int32_t>(1000 + rank.value), {}};
  const bool refused = script_of(rank).cannot_spawn;
  if (refused) {
    spawned.pid = 0;
    spawned.error = {base::Fault::cannot_start, "Exec format error", {}, {}};
  }
  feed(spawned);
  if (refused) return task.not_started();
  task.start();
  plan_spawns(rank);
  plan_join(rank);
}

// ---- deaths -------------------------------------------------------------------------------------

void SimHost::kill_agent() {
  if (!alive_) return;
  alive_ = false;
  events_.quit();
  order([this] {
    for (auto& [rank, task] : tasks_) {
      task->signal(SIGTERM);
      task->signal(SIGCONT);
    }
  });
  agenda_.after(kGuardGrace + script_.sweep_takes, [this] {
    for (auto& [rank, task] : tasks_) task->kill_all();
  });
}

void SimHost::kill_guard() {
  if (!guard_alive_ || !alive_) return;
  guard_alive_ = false;
  for (auto& [rank, task] : tasks_) task->vanish();
  agenda_.after(kGuardDelay, [this] { feed(machine::GuardLost{}); });
}

void SimHost::power_off() {
  alive_ = guard_alive_ = powered_ = false;
  for (auto& [rank, task] : tasks_) task->vanish();
}

bool SimHost::has_processes() const {
  for (const auto& [rank, task] : tasks_) {
    if (task->alive() || task->leftover()) return true;
  }
  return false;
}

const SimTask* SimHost::task(Rank rank) const {
  if (const auto found = tasks_.find(rank); found != tasks_.end()) return found->second.get();
  const auto past = std::find_if(past_.rbegin(), past_.rend(),
                                 [&](const auto& task) { return task->rank() == rank; });
  return past == past_.rend() ? nullptr : past->get();
}

}  // namespace muster::sim
