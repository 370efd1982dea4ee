// The head's rounds: after a failed one all ranks are started again; links, agents, guards stay.
#include <algorithm>

#include "machine/head_machine.hpp"
#include "view/report.hpp"

namespace muster::machine {

using base::NodeIndex;

// Only a rank's own failure is worth another try. A host that is gone cannot start its ranks again;
// and what spawned ranks were for, only those who spawned them knew, even if it came to nothing.
bool HeadMachine::may_restart() const {
  if (report_.cause != model::Cause::rank_failed || interrupted_before_) return false;
  if (timeout_at_ && now_ >= *timeout_at_) return false;
  if (round_ >= input_.spec.max_restarts || parties_.size() > 1) return false;
  if (std::ranges::any_of(nodes_, &Node::joined)) return false;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].state == NodeState::gone) return false;
    if (remote(NodeIndex(i)) && !nodes_[i].link) return false;
  }
  return true;
}

void HeadMachine::begin_round(HeadEffects& out) {
  ++round_;
  out.push_back(Say{view::restart(report(), round_, input_.spec.max_restarts)});
  note_round();
  forget_round();
  out.push_back(NewRound{});
  state_ = State::opening;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].state = NodeState::up;
    nodes_[i].heard = now_;
    greet(NodeIndex(i), out);
  }
}

// What this run tells in the end is of its last round, and of the earlier ones no more than this.
void HeadMachine::note_round() {
  model::RunReport next;
  next.rounds = std::move(report_.rounds);
  next.rounds.push_back(report_.first);
  next.warnings = std::move(report_.warnings);
  next.phases = report_.phases;
  next.style = report_.style;
  next.worlds = {parties_.front().world};
  next.world_size = parties_.front().world.size;
  report_ = std::move(next);
}

// All is as before the first start.
void HeadMachine::forget_round() {
  const std::uint32_t ranks = parties_.front().world.size;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].busy = static_cast<std::uint32_t>(input_.plan.nodes[i].ranks.size());
  }
  parties_.front().fences = Fences(nodes_.size());
  roll_ = {};
  roll_.add(parties_.front().world);
  roll_patience_ = kAskRoll;
  roll_asked_ = false;
  names_.clear();
  if (pmix_) pmix_->begin(input_.plan, input_.spec.apps, round_);
  tasks_.assign(ranks, {});
  tails_.assign(ranks, {});
  input_sent_.assign(ranks, 0);
  input_taken_.assign(ranks, 0);
  ended_ = running_ = 0;
  failures_.clear();
  deaths_ = {};
  reading_input_ = false;
  stop_sent_ = hastened_ = false;
  stopped_at_.reset();
  servers_end_at_.reset();
  give_up_at_.reset();
  next_progress_.reset();
}

}  // namespace muster::machine
