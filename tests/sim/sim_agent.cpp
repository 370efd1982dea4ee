// Takes what the head says to the run that it is about.
#include "sim/sim_agent.hpp"

#include <algorithm>

namespace muster::sim {

using base::Rank;
using base::RunIndex;
using wire::Stream;

SimAgent::SimAgent(Agenda& agenda, const HostScript& script, const Scenario& world,
                   RunScripts scripts, SimAgentEvents events)
    : agenda_(agenda),
      script_(script),
      world_(world),
      scripts_(std::move(scripts)),
      events_(std::move(events)) {
  add();
}

// The first one waits for its greeting from the start.
SimAgent::Hosted& SimAgent::add() {
  Hosted& added = *runs_.emplace_back(std::make_unique<Hosted>());
  added.host = std::make_unique<SimHost>(agenda_, script_, world_, host_events(added));
  return added;
}

SimHostEvents SimAgent::host_events(Hosted& hosted) {
  SimHostEvents events;
  events.to_head = [this, &hosted](wire::ToHead message) {
    events_.to_head(hosted.index, std::move(message));
  };
  events.output = [this, &hosted](Rank rank, Stream stream, std::uint64_t offset,
                                  std::uint32_t count) {
    events_.output(hosted.index, rank, stream, offset, count);
  };
  events.head_answers = events_.head_answers;
  events.link_dropped = [this] {
    events_.link_dropped();
    link_closed();
  };
  events.quit = [this, &hosted] {
    hosted.left = true;
    if (!alive()) events_.quit();
  };
  events.starts = [this, &hosted](Rank rank) { events_.starts(hosted.index, rank); };
  events.tells_store = [this, &hosted](Rank rank) { events_.tells_store(hosted.index, rank); };
  events.sweep = [this, &hosted](const std::function<void()>& kill) { sweep(hosted, kill); };
  events.complain = events_.complain;
  events.when_awake = events_.when_awake;
  return events;
}

std::vector<bool> SimAgent::others_with_processes(const Hosted& hosted) const {
  std::vector<bool> have;
  for (const auto& one : runs_) {
    if (one.get() != &hosted) have.push_back(one->host->has_processes());
  }
  return have;
}

void SimAgent::sweep(const Hosted& hosted, const std::function<void()>& kill) {
  const std::vector<bool> before = others_with_processes(hosted);
  kill();
  if (others_with_processes(hosted) != before) {
    events_.complain("the sweep of one run ends the ranks of another");
  }
}

SimAgent::Hosted* SimAgent::find(RunIndex index, const wire::ToAgent& message) {
  const auto found = std::ranges::find_if(
      runs_, [&](const auto& one) { return one->index == index && !one->left; });
  if (found != runs_.end()) return found->get();
  if (!std::holds_alternative<wire::Hello>(message) || !alive()) return nullptr;
  Hosted* hosted = runs_.front().get();
  if (hosted->index != RunIndex()) hosted = &add();
  hosted->index = index;
  const auto [script, world] = scripts_(index);
  hosted->host->belong_to(*script, *world);
  return hosted;
}

void SimAgent::hear(RunIndex run, const wire::ToAgent& message) {
  if (Hosted* hosted = find(run, message)) hosted->host->feed(message);
}

void SimAgent::link_closed() {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (!runs_[i]->left) runs_[i]->host->feed(machine::LinkClosed{});
  }
}

void SimAgent::kill() {
  for (const auto& one : runs_) {
    if (!one->left) one->host->kill_agent();
  }
}

void SimAgent::kill_guard() {
  std::vector<SimHost*> there;
  for (const auto& one : runs_) {
    if (!one->left) there.push_back(one->host.get());
  }
  if (!there.empty()) there[script_.guard_of % there.size()]->kill_guard();
}

void SimAgent::power_off() {
  powered_ = false;
  for (const auto& one : runs_) one->host->power_off();
}

bool SimAgent::has_processes() const {
  return std::ranges::any_of(runs_, [](const auto& one) { return one->host->has_processes(); });
}

bool SimAgent::alive() const {
  return powered_ && std::ranges::any_of(runs_, [](const auto& one) { return !one->left; });
}

const SimHost* SimAgent::run(RunIndex index) const {
  const auto found =
      std::ranges::find_if(runs_, [&](const auto& one) { return one->index == index; });
  return found == runs_.end() ? nullptr : (*found)->host.get();
}

}  // namespace muster::sim
