// A run's share of MPI_Comm_spawn: worlds of more ranks, on the hosts of the job.
#include <algorithm>

#include "base/check.hpp"
#include "machine/run.hpp"
#include "view/rank_name.hpp"

namespace muster::machine {

using base::Error;
using base::NodeIndex;
using base::Rank;

void Run::hear(NodeIndex node, wire::Spawn& message, RunEffects& out) {
  if (state_ != State::running || stop_) return;
  spawns_.ask(node, std::move(message));
  next_spawn(out);
}

void Run::next_spawn(RunEffects& out) {
  while (auto asked = spawns_.next()) {
    const std::vector<SpawnSite> sites = spawn_sites();
    auto made = plan_spawn({input_.spec, input_.plan, wireup_, input_.job, sites}, asked->order);
    if (!made) {
      refuse_spawn(*asked, made.error(), out);
      continue;
    }
    if (made->needs_hosts()) return call_hosts(std::move(*asked), *made, out);
    ask_hosts(*asked, *made, out);
    spawns_.prepare(std::move(*asked), std::move(*made));
  }
}

std::vector<SpawnSite> Run::spawn_sites() const {
  std::vector<SpawnSite> sites;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const NodeIndex node(i);
    const SpawnSite::Use use = may_spawn_on(node)      ? SpawnSite::Use::at_once
                               : may_greet_again(node) ? SpawnSite::Use::once_greeted
                                                       : SpawnSite::Use::none;
    sites.push_back({use, nodes_[i].busy});
  }
  return sites;
}

// Where all ranks have ended, the agent must be greeted again first.
bool Run::may_spawn_on(NodeIndex node) const {
  const NodeState state = nodes_[node.value].state;
  return state == NodeState::running || (state == NodeState::greeted && idle(node));
}

// ---- asking the hosts ---------------------------------------------------------------------------

// An agent that has had no ranks knows nothing of the run yet.
void Run::ask_hosts(const AskedSpawn& asked, const PlannedSpawn& made, RunEffects& out) {
  const model::JobSpec spec = spawn_spec(made);
  const std::uint32_t root = made.placed.root;
  const plan::Kept kept = input_.kept.of_app(root, made.apps.size());
  const plan::Rendezvous where = meeting_point(made);
  OrdersFor world{spec, made.plan, where, kept, input_.job, made.placed};
  world.window = window_for(ranks_.size() + made.placed.world.size);
  world.spawner = wireup_.world_of(asked.order.rank).name;
  world.wanted = &asked.order;
  for (ToNodes& told : told_to_all(world)) out.push_back(std::move(told));
  for (std::uint32_t i = 0; i < made.placed.nodes.size(); ++i) {
    const NodeIndex node = made.placed.nodes[i];
    if (spec.verbose && idle(node)) tell_network(node, where, i, out);
    wire::Prepare told = told_to(NodeIndex(i), world, {});
    if (pmix_ && idle(node)) told.earlier = pmix_->jobs(node);
    out.push_back(ToNode{node, std::move(told)});
  }
}

model::JobSpec Run::spawn_spec(const PlannedSpawn& made) const {
  model::JobSpec spec = input_.spec;
  spec.apps = made.apps;
  spec.roles = model::Roles::none;
  spec.gloo.reset();
  const bool any_idle =
      std::ranges::any_of(made.placed.nodes, [&](NodeIndex n) { return idle(n); });
  if (any_idle) spec.hostfile = hostfile();
  return spec;
}

void Run::hear(NodeIndex node, wire::Declined& message, RunEffects& out) {
  if (nodes_.size() > 1) message.error.what = host(node) + ": " + message.error.what;
  conclude(spawns_.declined(node, message.world, std::move(message.error)), out);
}

void Run::conclude(Spawns::Outcome outcome, RunEffects& out) {
  if (!outcome) return;
  if (outcome->refusal || outcome->again) {
    drop_spawn(outcome->planned, out);
    if (outcome->refusal) {
      refuse_spawn(outcome->asked, *outcome->refusal, out);
    } else if (nodes_[outcome->asked.asker.value].state == NodeState::running) {
      spawns_.ask_again(std::move(outcome->asked));
    }
  } else {
    start_spawned(*outcome, out);
  }
  next_spawn(out);
}

void Run::start_spawned(const SpawnOutcome& ready, RunEffects& out) {
  CHECK(state_ == State::running && !stop_);
  const PlannedSpawn& made = ready.planned;
  const AskedSpawn& asked = ready.asked;
  const std::uint32_t number = made.placed.world.number;
  const std::uint32_t window = window_for(ranks_.size() + made.placed.world.size);
  add_tasks(made);
  std::vector<model::PlannedRank> ranks = made.plan.ranks;
  for (model::PlannedRank& rank : ranks) rank.node = made.placed.nodes[rank.node.value];
  const AddWorld added{made.placed.world, std::move(ranks), window};
  out.push_back(added);
  tell_servers_of(ready, added, out);
  for (const NodeIndex node : made.placed.nodes) {
    nodes_[node.value].state = NodeState::running;
    out.push_back(ToNode{node, wire::Start{number}});
  }
  answer_spawn(asked.asker, {asked.order.id, asked.order.pmix, number, made.placed.name}, out);
}

void Run::drop_spawn(const PlannedSpawn& made, RunEffects& out) const {
  for (const NodeIndex node : made.placed.nodes) {
    if (!may_spawn_on(node)) continue;
    out.push_back(ToNode{node, wire::Drop{made.placed.world.number}});
  }
}

void Run::add_tasks(const PlannedSpawn& made) {
  const Rank first = made.placed.world.first;
  CHECK(first.value == ranks_.size());
  for (std::size_t own = 0; own < made.plan.ranks.size(); ++own) {
    model::PlannedRank rank = made.plan.ranks[own];
    rank.node = made.placed.nodes[rank.node.value];
    input_.plan.nodes[rank.node.value].ranks.emplace_back(first.value + own);
    input_.plan.ranks.push_back(rank);
    ++nodes_[rank.node.value].busy;
    ranks_.add(false);
  }
  verdict_.add(made.placed.world);
  wireup_.add(made.placed);
}

// ---- answers ------------------------------------------------------------------------------------

// MPI has only an error code for the spawner: people are told why.
void Run::refuse_spawn(const AskedSpawn& asked, const Error& why, RunEffects& out) {
  const wire::Spawn& order = asked.order;
  tell(model::SpawnRefused{view::rank_name(verdict_.so_far().worlds, order.rank), why}, out);
  answer_spawn(asked.asker, {order.id, order.pmix, 0, {}}, out);
}

void Run::answer_spawn(NodeIndex asker, wire::Spawned answer, RunEffects& out) const {
  if (nodes_[asker.value].state != NodeState::running) return;
  out.push_back(ToNode{asker, std::move(answer)});
}

}  // namespace muster::machine
