// SimAgent: one agent process. Runs share it and nothing else: each has its guard, its tasks and
// its lease, as in host/agent.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/agenda.hpp"
#include "sim/scenario.hpp"
#include "sim/sim_host.hpp"

namespace muster::sim {

struct SimAgentEvents {
  std::function<void(base::RunIndex, wire::ToHead)> to_head;
  std::function<void(base::RunIndex, base::Rank, wire::Stream, std::uint64_t offset,
                     std::uint32_t count)>
      output;
  std::function<bool()> head_answers;  // as in SimHostEvents
  std::function<void()> link_dropped;
  std::function<void()> quit;  // the process is gone
  std::function<void(base::RunIndex, base::Rank)> starts;
  std::function<void(base::RunIndex, base::Rank)> tells_store;
  std::function<void(const std::string&)> complain;
  std::function<void(std::function<void()>)> when_awake;  // as in SimHostEvents
};

// What a run does on this host, and all of its tasks.
using RunScripts = std::function<std::pair<const HostScript*, const Scenario*>(base::RunIndex)>;

class SimAgent {
 public:
  SimAgent(Agenda& agenda, const HostScript& script, const Scenario& world, RunScripts scripts,
           SimAgentEvents events);

  void hear(base::RunIndex run, const wire::ToAgent& message);
  void link_closed();
  void kill();        // the guards notice and clean up
  void kill_guard();  // of one run, whose agent notices and cleans up
  void power_off();

  [[nodiscard]] bool has_processes() const;
  [[nodiscard]] bool alive() const;
  [[nodiscard]] bool powered() const { return powered_; }
  // What a run has or had here, null if nothing.
  [[nodiscard]] const SimHost* run(base::RunIndex index) const;

 private:
  struct Hosted {
    base::RunIndex index;  // 0: the head has not greeted for it yet
    std::unique_ptr<SimHost> host;
    bool left = false;  // timers know it
  };
  Hosted& add();
  [[nodiscard]] Hosted* find(base::RunIndex index, const wire::ToAgent& message);
  [[nodiscard]] SimHostEvents host_events(Hosted& hosted);
  void sweep(const Hosted& hosted, const std::function<void()>& kill);
  [[nodiscard]] std::vector<bool> others_with_processes(const Hosted& hosted) const;

  Agenda& agenda_;
  HostScript script_;
  const Scenario& world_;
  RunScripts scripts_;
  SimAgentEvents events_;
  std::vector<std::unique_ptr<Hosted>> runs_;
  bool powered_ = true;
};

}  // namespace muster::sim
