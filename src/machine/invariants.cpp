// What holds for the head's machines between two events, as assertions that the simulator asks for
// after each step.
#include <algorithm>

#include "base/check.hpp"
#include "machine/head_machine.hpp"

namespace muster::machine {

using base::NodeIndex;

void Hosts::check() const {
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    const Entry& host = hosts_[i];
    const bool is_waited_for = opener_.has(NodeIndex(i));
    CHECK(host.linked || (!host.link && !is_waited_for));
    CHECK(!host.linked || host.link || host.state == State::waiting);
    CHECK(!is_waited_for || host.state == State::waiting || host.state == State::up);
    CHECK(host.state != State::greeted || host.facts);
    CHECK(host.state != State::waiting || (host.greeted_at.empty() && host.pinged_at.empty()));
  }
  CHECK(!next_progress_ || !opener_.idle());
}

void Spawns::check() const {
  CHECK(!calling_ || !preparing_);  // one at a time
  CHECK(!calling_ || !calling_->awaited.empty());
  CHECK(!preparing_ || !preparing_->awaited.empty());
}

void Run::check() const {
  CHECK(nodes_.size() == input_.plan.nodes.size());
  CHECK(ranks_.size() == input_.plan.ranks.size());
  CHECK(round_ <= input_.spec.max_restarts);
  CHECK(stop_.has_value() ? state_ >= State::stopping : state_ != State::stopping);
  CHECK(give_up_at_.has_value() == (state_ == State::stopping));
  CHECK(state_ == State::running || spawns_ == Spawns());
  check_counts();
  check_nodes();
  spawns_.check();
}

void Run::check_counts() const {
  std::uint32_t busy = 0;
  for (const Node& node : nodes_) busy += node.busy;
  CHECK(busy == ranks_.alive());
  for (std::uint32_t i = 0; i < input_.plan.ranks.size(); ++i) {
    const auto& own = input_.plan.nodes[input_.plan.ranks[i].node.value].ranks;
    CHECK(std::ranges::binary_search(own, base::Rank(i)));
  }
}

void Run::check_nodes() const {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const bool is_on = node.state >= NodeState::greeted && node.state <= NodeState::running;
    CHECK(!is_on || node.facts);
    CHECK(!node.away || node.state == NodeState::stopped);
    CHECK(state_ != State::over || node.state >= NodeState::stopped);
    CHECK(node.state != NodeState::running || state_ >= State::running);
    CHECK(node.state != NodeState::gone || node.busy == 0 || stop_);
    if (node.joined) continue;
    CHECK(state_ != State::preparing || node.state >= NodeState::greeted);
    CHECK(state_ != State::running || node.state >= NodeState::running);
  }
}

void HeadMachine::check() const {
  hosts_.check();
  for (const Member& one : runs_) {
    std::visit([](const auto& part) { part.check(); }, one.part);
    CHECK(one.told_over == one.over());
    for (const auto& [host, node] : one.uses) CHECK(one.hosts[node.value] == host);
  }
  const bool all_over = std::ranges::all_of(runs_, &Member::told_over);
  CHECK(leave_by_.has_value() == all_over);
  CHECK(!finished_ || (all_over && !hosts_.any_link()));
}

}  // namespace muster::machine
