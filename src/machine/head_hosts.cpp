// The head's share of hosts that join a run, since ranks are to be spawned where there were none.
#include <algorithm>

#include "base/check.hpp"
#include "machine/head_machine.hpp"

namespace muster::machine {

using base::Error;
using base::NodeIndex;

// Has joined, and no rank has been started there since.
bool HeadMachine::idle(NodeIndex node) const {
  return nodes_[node.value].joined && nodes_[node.value].state < NodeState::running;
}

// All its ranks have ended, and its agent waits.
bool HeadMachine::may_wake(NodeIndex node) const {
  return nodes_[node.value].state == NodeState::stopped &&
         (hosts_.link(node) || !hosts_.linked(node));
}

bool HeadMachine::opens_links() const { return state_ == State::opening || spawns_.calls_hosts(); }

void HeadMachine::call_hosts(AskedSpawn asked, const PlannedSpawn& made, HeadEffects& out) {
  std::set<NodeIndex> awaited = made.woken;
  std::vector<model::Host>& spare = input_.plan.spare;
  for (const std::size_t one : made.called) awaited.insert(call_host(spare[one], out));
  for (auto one = made.called.rbegin(); one != made.called.rend(); ++one) {
    spare.erase(spare.begin() + static_cast<std::ptrdiff_t>(*one));
  }
  for (const NodeIndex node : made.woken) wake_host(node, out);
  spawns_.call(std::move(asked), std::move(awaited));
  hosts_.go_on(now_, out);
}

// As in a new round: the agent forgets the ranks that have ended.
void HeadMachine::wake_host(NodeIndex node, HeadEffects& out) {
  nodes_[node.value].joined = true;
  nodes_[node.value].state = NodeState::fresh;
  hosts_.greet(node, now_, out);
}

NodeIndex HeadMachine::call_host(model::Host host, HeadEffects& out) {
  const NodeIndex node = hosts_.add(host, 0);
  CHECK(node.value == nodes_.size());
  nodes_.emplace_back().joined = true;
  input_.plan.nodes.push_back({host, {}});
  if (pmix_) pmix_->add_host(host.name);
  out.push_back(Tell{model::HostJoined{node, host.name}});
  out.push_back(AddHost{node, std::move(host)});
  hosts_.open(node, now_, out);
  return node;
}

// An idle host cannot be reached, or is lost.
void HeadMachine::host_missed(NodeIndex node, Error error, HeadEffects& out) {
  hosts_.forget(node);
  hosts_.close(node, out);
  nodes_[node.value].state = NodeState::gone;
  if (pmix_) tell_servers(pmix_->lost(node), out);
  conclude(spawns_.missed(node, std::move(error)), out);
}

// Nobody is left who could spawn.
void HeadMachine::dismiss_idle(HeadEffects& out) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (idle(NodeIndex(i))) stop_node(NodeIndex(i), 0, base::Duration{0}, out);
  }
  spawns_ = {};
}

// As all hosts of the run see each other: spawned ranks talk to others than themselves. Hosts that
// have not greeted tell nothing.
plan::Rendezvous HeadMachine::meeting_point(const PlannedSpawn& made) const {
  model::Plan known;
  std::vector<std::optional<model::HostFacts>> facts;
  std::vector<std::size_t> places;
  known.spare = input_.plan.spare;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const auto& told = hosts_.facts(NodeIndex(i));
    if (!told) continue;
    if (std::ranges::binary_search(made.placed.nodes, NodeIndex(i))) {
      places.push_back(known.nodes.size());
    }
    known.nodes.push_back({input_.plan.nodes[i].host, {}});
    facts.push_back(told);
  }
  return plan::for_nodes(plan::rendezvous(known, facts), places);
}

}  // namespace muster::machine
