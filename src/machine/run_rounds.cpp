// A run's rounds: after a failed one all ranks are started again; links, agents, guards stay.
#include <algorithm>

#include "base/check.hpp"
#include "machine/run.hpp"
#include "view/report.hpp"

namespace muster::machine {

using base::NodeIndex;

// Only a rank's own failure is worth another try. A host that is gone cannot start its ranks again;
// and what spawned ranks were for, only those who spawned them knew, even if it came to nothing.
bool Run::may_restart(base::Instant now) const {
  if (verdict_.so_far().cause != model::Cause::rank_failed || wish_.is_there()) return false;
  if (time_limit_.is_up(now)) return false;
  if (round_ >= input_.spec.max_restarts || wireup_.worlds() > 1) return false;
  if (std::ranges::any_of(nodes_, &Node::joined)) return false;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].state == NodeState::gone || nodes_[i].away) return false;
  }
  return true;
}

// Nothing runs any more, and every agent is there.
void Run::begin_round(RunEffects& out) {
  CHECK(ranks_.alive() == 0);
  ++round_;
  tell(model::RoundBegun{round_, input_.spec.max_restarts, view::failure(report())}, out);
  forget_round();
  input_flow(out);
  out.push_back(NewRound{});
  state_ = State::opening;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    greet(NodeIndex(i), out);
  }
}

// All is as before the first start.
void Run::forget_round() {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].busy = static_cast<std::uint32_t>(input_.plan.nodes[i].ranks.size());
  }
  verdict_.renew();
  wireup_.renew();
  libraries_ = {};
  if (pmix_) pmix_->begin(input_.plan, input_.spec.apps, round_);
  ranks_.renew(first_world().world.size);
  stdin_.renew();
  stop_.reset();
  servers_end_at_.reset();
  give_up_at_.reset();
}

}  // namespace muster::machine
