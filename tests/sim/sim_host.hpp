// SimHost: one run's guard and tasks on one host: adapters of an AgentMachine.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/agent_machine.hpp"
#include "sim/agenda.hpp"
#include "sim/scenario.hpp"
#include "sim/sim_pmi.hpp"
#include "sim/sim_pmix.hpp"
#include "sim/sim_task.hpp"

namespace muster::sim {

struct SimHostEvents {
  std::function<void(wire::ToHead)> to_head;
  std::function<void(base::Rank, wire::Stream, std::uint64_t offset, std::uint32_t count)> output;
  std::function<bool()> head_answers;  // its machine, however silent it is itself
  std::function<void()> link_dropped;
  std::function<void()> quit;                   // the agent has gone, whatever the reason
  std::function<void(base::Rank)> starts;       // just before a process is ordered
  std::function<void(base::Rank)> tells_store;  // Horovod's; it still runs when the head hears that
  // Calls what kills the tasks and all that they have left behind.
  std::function<void(const std::function<void()>&)> sweep;
  std::function<void(const std::string&)> complain;
  // Only beside the head, with which its agent sleeps: calls back when that is awake.
  std::function<void(std::function<void()>)> when_awake;
};

class SimHost {
 public:
  SimHost(Agenda& agenda, const HostScript& script, const Scenario& world, SimHostEvents events);

  // Until then it is of no run, and nothing but its host's own part of the script matters.
  void belong_to(const HostScript& script, const Scenario& world);
  void feed(machine::AgentEvent event);
  void kill_agent();  // the guard notices and cleans up
  void kill_guard();  // the agent notices and cleans up
  void power_off();   // nothing is left, nobody hears of it

  [[nodiscard]] bool has_processes() const;
  [[nodiscard]] bool agent_alive() const { return alive_; }
  [[nodiscard]] bool powered() const { return powered_; }
  // The last one under that rank, be it of an earlier round or from before the host ended.
  [[nodiscard]] const SimTask* task(base::Rank rank) const;

 private:
  void perform(machine::ToHead& effect);
  void perform(machine::ReadTopology&);
  void perform(machine::ClaimPorts& effect);
  void perform(machine::BeginRound&);
  void perform(machine::Check& effect);
  void perform(machine::ToWireup& effect);
  static void perform(machine::AnswerLauncherHere&) {}  // no rank here calls one
  void perform(machine::SetGuard&) {}                   // no guard outlives a simulated agent
  void perform(machine::StartTask& effect);
  void perform(machine::SignalTask& effect);
  void perform(machine::TraceTask& effect);
  void perform(machine::WriteInput& effect);
  void perform(machine::CloseInput& effect);
  void perform(machine::AddCredit& effect);
  void perform(machine::Sweep&);
  void perform(machine::DrainStreams&);
  void perform(machine::DiscardOutput&);
  void perform(machine::LookForHead&);
  void perform(machine::DropLink&);
  void perform(machine::Quit&);
  void order(std::function<void()> what, Duration takes = Duration(0));
  void spawn(base::Rank rank);
  [[nodiscard]] TaskScript script_of(base::Rank rank) const;
  void plan_spawns(base::Rank rank);
  void plan_join(base::Rank rank);
  void join(base::Rank rank);
  void pump(machine::AgentEvent event);
  void arm();
  void wake(base::Instant when);
  [[nodiscard]] SimTaskEvents task_events(base::Rank rank);
  [[nodiscard]] SimPmixEvents pmix_events();
  [[nodiscard]] SimPmiEvents pmi_events();

  Agenda& agenda_;
  HostScript script_;
  const std::vector<TaskScript>* task_scripts_;
  SimHostEvents events_;
  machine::AgentMachine machine_;
  std::deque<machine::AgentEvent> queue_;
  bool pumping_ = false;
  bool alive_ = true;
  bool guard_alive_ = true;
  bool powered_ = true;
  base::Instant guard_free_{};
  std::optional<base::Instant> armed_;
  std::optional<base::Instant> last_tick_;
  int ticks_in_a_row_ = 0;
  std::map<base::Rank, std::uint32_t> windows_;
  std::uint64_t last_spawn_ = 0;
  std::map<base::Rank, std::unique_ptr<SimTask>> tasks_;
  std::vector<std::unique_ptr<SimTask>> past_;  // of earlier rounds: timers still know them
  std::uint32_t round_ = 0;
  bool has_gloo_;
  bool has_pmix_;
  SimPmix pmix_;
  bool has_pmi_;
  SimPmi pmi_;
};

}  // namespace muster::sim
