// A run's share of MPI wire-up: fences joined, names kept, MPI_Abort heard.
#include <algorithm>
#include <csignal>
#include <iterator>

#include "machine/run.hpp"
#include "view/joining_words.hpp"
#include "view/rank_name.hpp"

namespace muster::machine {

using base::NodeIndex;
using base::Rank;

void Run::hear(NodeIndex node, wire::FenceIn& message, RunEffects& out) {
  const auto answer = wireup_.take(node, message);
  if (!answer) return;
  std::vector<NodeIndex> nodes;
  std::ranges::copy_if(answer->nodes, std::back_inserter(nodes), [&](NodeIndex one) {
    return nodes_[one.value].state == NodeState::running;
  });
  if (!nodes.empty()) out.push_back(ToNodes{std::move(nodes), answer->message});
}

void Run::hear(NodeIndex, wire::Aborted& message, RunEffects& out) {
  // MPI_Abort is heard of before the exit: this one left the MPI world without MPI_Finalize.
  if (ranks_.has_ended(message.rank) && !input_.spec.failure.needs_finalize) return;
  end_by(message.rank, message.code, std::move(message.message), out);
}

// The rank's own exit follows, or came before; it is this one that counts.
void Run::end_by(Rank rank, std::int32_t code, std::string why, RunEffects& out) {
  if (stop_) return;
  constexpr int kCodes = 256;
  code &= kCodes - 1;
  model::RankExit exit{};
  exit.rank = rank;
  exit.pid = ranks_.pid(rank);
  exit.code = code == 0 ? 1 : code;
  const NodeIndex node = input_.plan.ranks[rank.value].node;
  model::Circumstances around;
  if (shares_too_little(node)) around.shared = nodes_[node.value].shared;
  verdict_.aborted(exit, std::move(why), host(node), around);
  stop_all(SIGTERM, input_.spec.grace, out);
}

// ---- who has joined ---------------------------------------------------------------------------

void Run::hear(NodeIndex node, wire::Attendance& message, RunEffects& out) {
  warn_mpi(node, out);
  for (const Rank rank : message.ranks) wireup_.came(rank, stop_ ? stop_->at : now_);
  if (!message.ranks.empty()) compare_library(message.ranks.back(), message.library, out);
  look_for_deserter(out);
}

// The head serves the store itself, so it knows at once, and no host need be asked. Whoever else
// may use the store may have put that, too: nothing is known then of anybody.
void Run::gloo_joined(const GlooJoined& event, base::Instant now) {
  now_ = now;
  if (state_ != State::running || stop_ || event.rank.value >= first_world().world.size) return;
  if (!is_at(input_.plan.ranks[event.rank.value].node, event.from)) return wireup_.doubt_store();
  wireup_.told_store(event.rank, now_);
}

// Over the loopback come this machine's processes alone, as all of a job that listens there.
bool Run::is_at(NodeIndex node, const std::string& address) const {
  const auto& facts = nodes_[node.value].facts;
  if (address.empty()) return true;
  return facts && (facts->reached_at == address ||
                   std::ranges::count(facts->interfaces, address, &model::Interface::address) > 0);
}

// They would look for each other, some for ever.
void Run::compare_library(Rank rank, const std::string& library, RunEffects& out) {
  const auto other = libraries_.add(rank, library);
  if (!other) return;
  fault({base::Fault::cannot_start,
         fmt::format("{} has {} and {} has {}: they cannot reach each other", name_of(other->rank),
                     other->name, name_of(rank), library),
         "give all hosts the same version of the same MPI library, or name only hosts that have "
         "the same",
         {}},
        {}, out);
}

// A rank that has left for good keeps all others waiting for ever.
void Run::look_for_deserter(RunEffects& out) {
  if (const auto deserter = wireup_.deserter()) {
    end_by(*deserter, 1, "it ended without calling MPI_Init while other ranks waited for it", out);
  }
}

void Run::check_roll(RunEffects& out) {
  if (!input_.spec.init_timeout) return;
  const auto deadline = wireup_.waited_at(*input_.spec.init_timeout);
  if (!deadline || now_ < *deadline) return;
  fault({base::Fault::timeout,
         fmt::format("not all ranks {} within --init-timeout {:g} s of the first",
                     view::joining_words(wireup_.status().joining).done,
                     std::chrono::duration<double>(*input_.spec.init_timeout).count()),
         {},
         {}},
        {}, out);
}

void Run::watch_roll(RunEffects& out) {
  if (state_ != State::running) return;
  switch (wireup_.look(now_)) {
    case Wireup::Look::nothing:
      return;
    case Wireup::Look::name_absent:
      return tell_absent(out);
    case Wireup::Look::ask_who_came:
      for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].state == NodeState::running) out.push_back(AskHost{NodeIndex(i)});
      }
  }
}

void Run::tell_absent(RunEffects& out) const {
  const WireupStatus status = wireup_.status();
  const std::vector<Rank>& absent = status.absent;
  if (absent.empty()) return;
  model::RanksAwaited awaited;
  awaited.joining = status.joining;
  awaited.waited = std::chrono::duration_cast<std::chrono::seconds>(now_ - *status.since);
  for (const Rank rank : absent) awaited.absent.push_back(name_of(rank));
  tell(std::move(awaited), out);
}

// A failing rank tells its own cause: who was only slower than others by a little is no news then.
bool Run::roll_matters() const {
  constexpr base::Duration kLongWait = std::chrono::seconds(1);
  if (!stop_) return false;
  if (verdict_.so_far().cause != model::Cause::rank_failed) return true;
  const auto deadline = wireup_.waited_at(kLongWait);
  return deadline && *deadline <= stop_->at;
}

// Of ranks on hosts that are lost nothing is known.
std::vector<Rank> Run::missing() const {
  std::vector<Rank> ranks;
  if (roll_matters()) ranks = wireup_.status().absent;
  std::erase_if(ranks, [&](Rank rank) {
    return nodes_[input_.plan.ranks[rank.value].node.value].state == NodeState::gone;
  });
  return ranks;
}

// ---- exchange -------------------------------------------------------------------------------

void Run::hear(NodeIndex node, wire::PmixUp& message, RunEffects& out) {
  if (!pmix_ || nodes_[node.value].state != NodeState::running) return;
  tell_servers(pmix_->take(node, message.upcall), out);
}

void Run::tell_servers(PmixOrders orders, RunEffects& out) const {
  for (PmixOrder& order : orders) {
    if (nodes_[order.node].state != NodeState::running) continue;
    out.push_back(ToNode{NodeIndex(order.node), wire::PmixDown{std::move(order.command)}});
  }
}

// Of a world: before any of its ranks is started. A host that has been idle until now knows the
// worlds before it from its orders.
void Run::tell_servers_of(const SpawnOutcome& ready, const AddWorld& added, RunEffects& out) {
  if (!pmix_) return;
  pmix_->add(added.world, added.ranks, ready.planned.apps, ready.asked.order.rank);
  std::vector<NodeIndex> nodes;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const NodeIndex node(i);
    const bool starts = std::ranges::binary_search(ready.planned.placed.nodes, node);
    if (starts || nodes_[i].state == NodeState::running) nodes.push_back(node);
  }
  out.push_back(ToNodes{std::move(nodes), wire::PmixDown{pmix_->newest()}});
}

void Run::hear(NodeIndex node, wire::NameAsk& message, RunEffects& out) {
  out.push_back(ToNode{node, wireup_.take(message)});
}

}  // namespace muster::machine
