// The head's share of hosts that join a run, since ranks are to be spawned where there were none.
#include <algorithm>

#include "machine/head_machine.hpp"

namespace muster::machine {

using base::Error;
using base::NodeIndex;

namespace {

constexpr base::Duration kJoinProgress = std::chrono::seconds(3);

}  // namespace

// Has joined, and no rank has been started there since.
bool HeadMachine::idle(NodeIndex node) const {
  return nodes_[node.value].joined && nodes_[node.value].state < NodeState::running;
}

// All its ranks have ended, and its agent waits.
bool HeadMachine::may_wake(NodeIndex node) const {
  return nodes_[node.value].state == NodeState::stopped &&
         (nodes_[node.value].link || !remote(node));
}

bool HeadMachine::opens_links() const { return state_ == State::opening || joining_.has_value(); }

void HeadMachine::call_hosts(NodeIndex asker, Spawning& made, HeadEffects& out) {
  joining_ = Joining{asker, std::move(made.order), {}, {}};
  std::vector<model::Host>& spare = input_.plan.spare;
  for (const std::size_t one : made.called) call_host(spare[one], out);
  for (auto one = made.called.rbegin(); one != made.called.rend(); ++one) {
    spare.erase(spare.begin() + static_cast<std::ptrdiff_t>(*one));
  }
  for (const NodeIndex node : made.woken) wake_host(node, out);
  next_progress_ = now_ + kJoinProgress;
  open_due(out);
}

// As in a new round: the agent forgets the ranks that have ended.
void HeadMachine::wake_host(NodeIndex node, HeadEffects& out) {
  joining_->awaited.insert(node);
  nodes_[node.value].joined = true;
  nodes_[node.value].state = NodeState::up;
  nodes_[node.value].heard = now_;
  greet(node, out);
}

void HeadMachine::call_host(model::Host host, HeadEffects& out) {
  const NodeIndex node(nodes_.size());
  nodes_.emplace_back().joined = true;
  joining_->awaited.insert(node);
  input_.plan.nodes.push_back({host, {}});
  if (pmix_) pmix_->add_host(host.name);
  out.push_back(AddHost{node, std::move(host)});
  if (remote(node)) return opener_.add(node, now_);
  out.push_back(OpenLink{node});
}

void HeadMachine::host_joined(NodeIndex node, HeadEffects& out) {
  if (!joining_ || joining_->awaited.erase(node) == 0) return;
  conclude_joining(out);
}

// An idle host cannot be reached, or is lost.
void HeadMachine::host_missed(NodeIndex node, Error error, HeadEffects& out) {
  opener_.opened(node);
  if (std::exchange(nodes_[node.value].link, false)) out.push_back(CloseLink{node});
  nodes_[node.value].state = NodeState::gone;
  if (pmix_) tell_servers(pmix_->lost(node), out);
  if (joining_ && joining_->awaited.erase(node) > 0) {
    if (!joining_->refusal) joining_->refusal = std::move(error);
    return conclude_joining(out);
  }
  // Even if it has prepared: others have not.
  if (!spawning_ || !std::ranges::binary_search(spawning_->party.nodes, node)) return;
  if (!spawning_->refusal) spawning_->refusal = std::move(error);
  spawn_answered(node, spawning_->party.world.number, out);
}

// What is free may have changed meanwhile: the spawn is planned anew.
void HeadMachine::conclude_joining(HeadEffects& out) {
  if (!joining_->awaited.empty()) return;
  Joining done = std::move(*joining_);
  joining_.reset();
  next_progress_.reset();
  if (done.refusal) {
    refuse_spawn(done.asker, done.order, *done.refusal, out);
  } else if (nodes_[done.asker.value].state == NodeState::running) {
    spawns_.emplace_front(done.asker, std::move(done.order));
  }
  next_spawn(out);
}

// Nobody is left who could spawn.
void HeadMachine::dismiss_idle(HeadEffects& out) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (idle(NodeIndex(i))) stop_node(NodeIndex(i), 0, base::Duration{0}, out);
  }
  spawns_.clear();
  spawning_.reset();
  joining_.reset();
}

// As all hosts of the run see each other: spawned ranks talk to others than themselves. Hosts that
// have not greeted tell nothing.
plan::Rendezvous HeadMachine::meeting_point(const Spawning& made) const {
  model::Plan known;
  std::vector<std::optional<model::HostFacts>> facts;
  std::vector<std::size_t> places;
  known.spare = input_.plan.spare;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].facts) continue;
    if (std::ranges::binary_search(made.party.nodes, NodeIndex(i))) {
      places.push_back(known.nodes.size());
    }
    known.nodes.push_back({input_.plan.nodes[i].host, {}});
    facts.push_back(nodes_[i].facts);
  }
  return plan::for_nodes(plan::rendezvous(known, facts), places);
}

}  // namespace muster::machine
