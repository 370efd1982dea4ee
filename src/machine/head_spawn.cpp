// The head's share of MPI_Comm_spawn: worlds of more ranks, on the hosts of the job.
#include <algorithm>

#include "machine/head_machine.hpp"
#include "view/rank_name.hpp"

namespace muster::machine {

using base::Error;
using base::Fault;
using base::NodeIndex;
using base::Rank;
using base::Result;

namespace {

std::vector<std::pair<std::string, std::string>> pairs_of(
    const std::vector<wire::NameValue>& info) {
  std::vector<std::pair<std::string, std::string>> pairs;
  pairs.reserve(info.size());
  for (const wire::NameValue& one : info) pairs.emplace_back(one.name, one.value);
  return pairs;
}

// Relative folders are meant from where the job's ranks are.
std::string below(const std::string& folder, const std::string& wanted) {
  if (wanted.empty()) return folder;
  return wanted.front() == '/' ? wanted : folder + "/" + wanted;
}

}  // namespace

void HeadMachine::hear(NodeIndex node, wire::Spawn& message, HeadEffects& out) {
  if (state_ != State::running || stop_sent_) return;
  spawns_.emplace_back(node, std::move(message));
  next_spawn(out);
}

void HeadMachine::next_spawn(HeadEffects& out) {
  while (!spawning_ && !joining_ && !spawns_.empty()) {
    auto [asker, order] = std::move(spawns_.front());
    spawns_.pop_front();
    auto made = plan_spawn(asker, order);
    if (!made) {
      refuse_spawn(asker, order, made.error(), out);
      continue;
    }
    if (made->needs_hosts()) return call_hosts(asker, *made, out);
    spawning_ = std::move(*made);
    ask_hosts(out);
  }
}

// ---- what is to run where -----------------------------------------------------------------------

Result<HeadMachine::Spawning> HeadMachine::plan_spawn(NodeIndex asker, wire::Spawn order) const {
  const auto number = static_cast<std::uint32_t>(parties_.size() + 1);
  const Party& parent = parties_[model::world_of(report_.worlds, order.rank).number - 1];
  const std::uint32_t root =
      parent.world.number == 1 ? input_.plan.ranks[order.rank.value].app : parent.root;
  Spawning made{asker,
                std::move(order),
                {{number, Rank(tasks_.size()), 0},
                 fmt::format("muster_{}_{}", input_.job, number),
                 {},
                 root,
                 {},
                 Fences(0)},
                {},
                {},
                {},
                {}};
  auto placed = place_spawn(made);
  if (!placed) return tl::unexpected(placed.error());
  for (const NodeIndex node : *placed) {
    if (node.value >= nodes_.size()) {
      made.called.insert(node.value - nodes_.size());
    } else if (may_wake(node)) {
      made.woken.insert(node);
    }
  }
  if (!made.needs_hosts()) settle(made, *placed);
  return made;
}

Result<std::vector<plan::SpawnWish>> HeadMachine::read_spawn(Spawning& made) const {
  std::vector<plan::SpawnWish> wishes;
  std::uint64_t total = tasks_.size();
  for (const wire::SpawnApp& one : made.order.apps) {
    auto wish = plan::spawn_wish(pairs_of(one.info), one.ranks);
    if (!wish) return tl::unexpected(wish.error());
    model::App app = input_.spec.apps[made.party.root];
    app.command = one.command;
    app.ranks = one.ranks;
    app.workdir = below(app.workdir, wish->workdir);
    if (!wish->path.empty()) app.path = wish->path;
    app.tries_workdir = app.tries_workdir || made.order.pmix;  // the library is Open MPI
    made.apps.push_back(std::move(app));
    total += one.ranks;
    wishes.push_back(std::move(*wish));
  }
  if (total > model::kRanksMax) {
    return base::fail(Fault::no_slots, "a run has at most 1,000,000 ranks, ended ones included",
                      "{} ranks would be too many", total);
  }
  if (total == tasks_.size()) return base::fail(Fault::usage, {}, "no ranks were asked for");
  made.party.world.size = static_cast<std::uint32_t>(total - tasks_.size());
  return wishes;
}

Result<std::vector<NodeIndex>> HeadMachine::place_spawn(Spawning& made) const {
  auto wishes = read_spawn(made);
  if (!wishes) return tl::unexpected(wishes.error());
  std::vector<plan::SpawnRoom> rooms;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!may_spawn_on(NodeIndex(i)) && !may_wake(NodeIndex(i))) continue;
    rooms.push_back({NodeIndex(i), &input_.plan.nodes[i].host, nodes_[i].busy});
  }
  std::size_t next = nodes_.size();  // hosts that are called get the next indices
  for (const model::Host& host : input_.plan.spare) {
    rooms.push_back({NodeIndex(next++), &host, 0});
  }
  return plan::place_spawned(rooms, *wishes);
}

// Where all ranks have ended, the agent must be greeted again first.
bool HeadMachine::may_spawn_on(NodeIndex node) const {
  const NodeState state = nodes_[node.value].state;
  return state == NodeState::running || (state == NodeState::greeted && idle(node));
}

// The world's own plan, with only its nodes.
void HeadMachine::settle(Spawning& made, const std::vector<NodeIndex>& nodes) const {
  std::vector<NodeIndex>& used = made.party.nodes;
  used = nodes;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  made.party.fences = Fences(used.size());
  model::Plan& plan = made.plan;
  plan.universe = input_.plan.universe;
  for (const NodeIndex node : used) plan.nodes.push_back({input_.plan.nodes[node.value].host, {}});
  std::uint32_t app = 0;
  std::uint32_t left = made.apps.front().ranks.value_or(0);
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    while (left == 0) left = made.apps[++app].ranks.value_or(0);
    --left;
    const auto at = std::ranges::lower_bound(used, nodes[rank]) - used.begin();
    auto& there = plan.nodes[static_cast<std::size_t>(at)].ranks;
    plan.ranks.push_back(
        {NodeIndex(static_cast<std::uint64_t>(at)), static_cast<std::uint32_t>(there.size()), app});
    there.emplace_back(rank);
  }
  if (input_.mapping) made.party.mapping = input_.mapping(plan);
}

// ---- asking the hosts ---------------------------------------------------------------------------

void HeadMachine::ask_hosts(HeadEffects& out) {
  Spawning& made = *spawning_;
  model::JobSpec spec = input_.spec;
  spec.apps = made.apps;
  spec.roles = model::Roles::none;
  spec.gloo.reset();
  const std::vector<plan::Forwarded> here(made.apps.size(), input_.kept_here[made.party.root]);
  const std::vector<plan::Forwarded> remote(made.apps.size(), input_.kept_remote[made.party.root]);
  const plan::Rendezvous where = meeting_point(made);
  const OrdersFor world{spec, made.plan, where, here, remote, input_.job, made.party.world.first};
  for (std::uint32_t i = 0; i < made.party.nodes.size(); ++i) {
    const NodeIndex node = made.party.nodes[i];
    made.awaited.insert(node);
    if (spec.verbose && idle(node)) tell_network(node, where, i, out);
    out.push_back(ToNode{node, spawn_orders(world, NodeIndex(i))});
  }
}

wire::Prepare HeadMachine::spawn_orders(const OrdersFor& world, NodeIndex node) const {
  const Spawning& made = *spawning_;
  wire::Prepare prepare = orders(world, node);
  for (std::size_t app = 0; app < prepare.apps.size(); ++app) {
    const auto& more = made.order.apps[app].environment;
    auto& environment = prepare.apps[app].environment;
    environment.insert(environment.end(), more.begin(), more.end());
  }
  prepare.window = window_for(tasks_.size() + made.party.world.size);
  prepare.wireup = wireup(made.party);
  prepare.wireup.spawner =
      parties_[model::world_of(report_.worlds, made.order.rank).number - 1].name;
  prepare.wireup.preput = made.order.preput;
  const NodeIndex at = made.party.nodes[node.value];
  if (idle(at)) introduce(at, prepare);
  return prepare;
}

// An agent that has had no ranks knows nothing of the run yet.
void HeadMachine::introduce(NodeIndex node, wire::Prepare& prepare) const {
  prepare.hostfile = hostfile();
  if (pmix_) prepare.wireup.pmix_jobs = pmix_->jobs(node);
}

void HeadMachine::hear(NodeIndex node, wire::Declined& message, HeadEffects& out) {
  if (!spawning_ || spawning_->party.world.number != message.world) return;
  if (!spawning_->refusal) {
    if (nodes_.size() > 1) message.error.what = host(node) + ": " + message.error.what;
    spawning_->refusal = std::move(message.error);
  }
  spawn_answered(node, message.world, out);
}

void HeadMachine::spawn_answered(NodeIndex node, std::uint32_t world, HeadEffects& out) {
  if (!spawning_ || spawning_->party.world.number != world) return;
  if (spawning_->awaited.erase(node) == 0 || !spawning_->awaited.empty()) return;
  conclude_spawn(out);
  next_spawn(out);
}

void HeadMachine::conclude_spawn(HeadEffects& out) {
  Spawning made = std::move(*spawning_);
  spawning_.reset();
  const std::uint32_t number = made.party.world.number;
  if (made.refusal) {
    drop_spawn(made, out);
    return refuse_spawn(made.asker, made.order, *made.refusal, out);
  }
  if (made.host_ended) {  // other hosts may take its ranks, if there is still someone to tell
    drop_spawn(made, out);
    if (nodes_[made.asker.value].state != NodeState::running) return;
    spawns_.emplace_front(made.asker, std::move(made.order));
    return;
  }
  const std::uint32_t window = window_for(tasks_.size() + made.party.world.size);
  add_tasks(made);
  std::vector<model::PlannedRank> ranks = made.plan.ranks;
  for (model::PlannedRank& rank : ranks) rank.node = made.party.nodes[rank.node.value];
  const AddWorld added{made.party.world, std::move(ranks), window};
  out.push_back(added);
  tell_servers_of(made, added, out);
  for (const NodeIndex node : made.party.nodes) {
    nodes_[node.value].state = NodeState::running;
    out.push_back(ToNode{node, wire::Start{number}});
  }
  answer_spawn(made.asker, {made.order.id, made.order.pmix, number, made.party.name}, out);
  parties_.push_back(std::move(made.party));
}

void HeadMachine::drop_spawn(const Spawning& made, HeadEffects& out) const {
  for (const NodeIndex node : made.party.nodes) {
    if (!may_spawn_on(node)) continue;
    out.push_back(ToNode{node, wire::Drop{made.party.world.number}});
  }
}

void HeadMachine::add_tasks(const Spawning& made) {
  const Rank first = made.party.world.first;
  for (std::size_t own = 0; own < made.plan.ranks.size(); ++own) {
    model::PlannedRank rank = made.plan.ranks[own];
    rank.node = made.party.nodes[rank.node.value];
    input_.plan.nodes[rank.node.value].ranks.emplace_back(first.value + own);
    input_.plan.ranks.push_back(rank);
    ++nodes_[rank.node.value].busy;
  }
  tasks_.resize(input_.plan.ranks.size());
  tails_.resize(tasks_.size());
  input_sent_.resize(tasks_.size());
  input_taken_.resize(tasks_.size());
  report_.world_size = static_cast<std::uint32_t>(tasks_.size());
  report_.worlds.push_back(made.party.world);
  roll_.add(made.party.world);
}

// ---- answers ------------------------------------------------------------------------------------

// MPI has only an error code for the spawner: people are told why.
void HeadMachine::refuse_spawn(NodeIndex asker, const wire::Spawn& order, const Error& why,
                               HeadEffects& out) {
  out.push_back(Say{fmt::format("MPI_Comm_spawn by {} failed: {}{}",
                                view::rank_name(report_.worlds, order.rank), why.what,
                                why.hint.empty() ? "" : " (" + why.hint + ")")});
  answer_spawn(asker, {order.id, order.pmix, 0, {}}, out);
}

void HeadMachine::answer_spawn(NodeIndex asker, wire::Spawned answer, HeadEffects& out) const {
  if (nodes_[asker.value].state != NodeState::running) return;
  out.push_back(ToNode{asker, std::move(answer)});
}

}  // namespace muster::machine
