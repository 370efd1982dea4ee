// A run's share of hosts that join a run, since ranks are to be spawned where there were none.
#include <algorithm>

#include "base/check.hpp"
#include "machine/run.hpp"

namespace muster::machine {

using base::Error;
using base::NodeIndex;

// Has joined, and no rank has been started there since.
bool Run::idle(NodeIndex node) const {
  return nodes_[node.value].joined && nodes_[node.value].state < NodeState::running;
}

// Without a host that is held, nothing begins.
bool Run::may_go_on_without(NodeIndex node) const { return idle(node) && state_ != State::opening; }

// All its ranks have ended, and its agent waits.
bool Run::may_greet_again(NodeIndex node) const {
  return nodes_[node.value].state == NodeState::stopped && !nodes_[node.value].away;
}

void Run::call_hosts(AskedSpawn asked, const PlannedSpawn& made, RunEffects& out) {
  std::set<NodeIndex> awaited = made.to_greet;
  std::vector<model::Host>& spare = input_.plan.spare;
  for (const std::size_t one : made.called) awaited.insert(call_host(spare[one], out));
  for (auto one = made.called.rbegin(); one != made.called.rend(); ++one) {
    spare.erase(spare.begin() + static_cast<std::ptrdiff_t>(*one));
  }
  for (const NodeIndex node : made.to_greet) greet_again(node, out);
  spawns_.call(std::move(asked), std::move(awaited));
}

// They come behind the nodes of the first world, whose ranks are to see nothing of them.
void Run::hold_spare(RunEffects& out) {
  const std::vector<model::Host> spare = std::exchange(input_.plan.spare, {});
  own_plan_ = input_.plan;
  for (const model::Host& host : spare) (void)call_host(host, out);
}

// As in a new round: the agent forgets the ranks that have ended.
void Run::greet_again(NodeIndex node, RunEffects& out) {
  CHECK(may_greet_again(node) && state_ == State::running);
  nodes_[node.value].joined = true;
  greet(node, out);
}

NodeIndex Run::call_host(model::Host host, RunEffects& out) {
  const NodeIndex node(nodes_.size());
  nodes_.emplace_back().joined = true;
  input_.plan.nodes.push_back({host, {}});
  if (pmix_) pmix_->add_host(host.name);
  tell(model::HostJoined{node, host.name}, out);
  out.push_back(AddHost{node, std::move(host)});
  out.push_back(NeedHost{node});
  return node;
}

// An idle host cannot be reached, or is lost.
void Run::host_missed(NodeIndex node, Error error, RunEffects& out) {
  CHECK(nodes_[node.value].joined);
  out.push_back(DropHost{node});
  nodes_[node.value].state = NodeState::gone;
  if (pmix_) tell_servers(pmix_->lost(node), out);
  // Nobody else hears of one that no launcher uses just now.
  if (input_.holds_spare) warn(error.what, out);
  conclude(spawns_.missed(node, std::move(error)), out);
}

// Nobody is left who could spawn.
void Run::dismiss_idle(RunEffects& out) {
  CHECK(all_work_ended());
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (idle(NodeIndex(i))) stop_node(NodeIndex(i), 0, base::Duration{0}, out);
  }
  spawns_ = {};
}

// As all hosts of the run see each other: spawned ranks talk to others than themselves. Hosts that
// have not greeted tell nothing.
plan::Rendezvous Run::meeting_point(const PlannedSpawn& made) const {
  model::Plan known;
  std::vector<std::optional<model::HostFacts>> facts;
  std::vector<std::size_t> places;
  known.spare = input_.plan.spare;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const auto& told = nodes_[i].facts;
    if (!told) continue;
    if (std::ranges::binary_search(made.placed.nodes, NodeIndex(i))) {
      places.push_back(known.nodes.size());
    }
    known.nodes.push_back({input_.plan.nodes[i].host, {}});
    facts.push_back(told);
  }
  return plan::for_nodes(plan::rendezvous(known, facts), places);
}

std::optional<model::Host> Run::in_reserve(const model::Host& called) const {
  const auto& spare = input_.plan.spare;
  const auto found = std::ranges::find_if(
      spare, [&](const model::Host& one) { return model::may_mean(called, one); });
  if (found != spare.end()) return *found;
  // Such a list names no users and no ports: with those it would be another host.
  const bool is_plain = called.user.empty() && called.port == 0;
  if (!is_plain || !plan::lists_host(input_.spec.hostfile, called.name)) return std::nullopt;
  model::Host host = called;
  host.carrier = input_.spec.source.carrier;
  return host;
}

}  // namespace muster::machine
