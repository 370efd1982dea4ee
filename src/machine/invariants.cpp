// What holds for machines and their parts between two events, as assertions that the simulator asks
// for after each step. Those of the head hold whatever hosts may say.
#include <algorithm>

#include "base/check.hpp"
#include "machine/agent_machine.hpp"
#include "machine/head_machine.hpp"

namespace muster::machine {

using base::NodeIndex;
using base::Rank;

// ---- hosts ------------------------------------------------------------------------------------

void Opener::check() const {
  CHECK(parallel_ >= 1);
  for (const auto& [node, attempt] : attempts_) CHECK(!attempt.open || attempt.count >= 1);
}

void Hosts::check() const {
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    const Entry& host = hosts_[i];
    const bool is_waited_for = opener_.has(NodeIndex(i));
    CHECK(host.linked || (!host.link && !is_waited_for));
    CHECK(leaving_.contains(NodeIndex(i)) == (host.state == State::leaving));
    CHECK(!host.linked || host.link || host.state == State::waiting);
    CHECK(!is_waited_for || host.state == State::waiting || host.state == State::up);
    CHECK(host.state != State::greeted || host.facts);
    CHECK(host.state != State::leaving || host.link);
    CHECK(host.state != State::waiting || (host.greeted_at.empty() && host.pinged_at.empty()));
    CHECK(!host.linked || host.state == State::waiting || next_ping_);  // its silence is noticed
    for (const auto& [run, asked] : host.pinged_at) CHECK(std::ranges::is_sorted(asked));
  }
  CHECK(!next_progress_ || !opener_.idle());
  opener_.check();
}

// ---- parts of a run ---------------------------------------------------------------------------

void Ranks::check() const {
  std::uint32_t started = 0, ended = 0, working = 0;
  for (const One& one : ranks_) {
    started += one.pid != 0;
    ended += one.ended;
    working += !one.ended && !one.serves;
  }
  CHECK(started == started_);
  CHECK(ended == ended_);
  CHECK(working == working_);
}

void InputFlow::check() const {
  const std::vector<Rank> fed = targets();
  for (std::uint32_t rank = 0; rank < lanes_.size(); ++rank) {
    const Lane& lane = lanes_[rank];
    CHECK(lane.taken <= lane.sent);
    CHECK(lane.sent == 0 || std::ranges::binary_search(fed, Rank(rank)));
  }
}

void RollCall::check() const {
  std::size_t size = 0;
  for (const Entry& entry : worlds_) {
    const auto first = places_.begin() + entry.world.first.value;
    CHECK(entry.here == std::count(first, first + entry.world.size, Place::here));
    CHECK(entry.since.has_value() == (entry.here > 0));
    size += entry.world.size;
  }
  CHECK(size == places_.size());
}

void TimeLimit::check() const {
  CHECK(!notice_at_ || (notice_ && (up_at_ || allocation_ends_)));
  CHECK(!notice_at_ || *notice_at_ <= *base::sooner(up_at_, allocation_ends_));
  CHECK(!asked_ || up_at_);
  CHECK(unanswered_ == 0 || asked_);
}

void FirstDeaths::check() const {
  CHECK(!told_first_ || (told_first_->told && !of_host_.empty()));
  for (std::size_t i = 0; i < of_host_.size(); ++i) {
    CHECK(of_host_[i].exit.failed());
    for (std::size_t j = 0; j < i; ++j) CHECK(of_host_[i].node != of_host_[j].node);
  }
}

void Verdict::check() const {
  std::uint32_t size = 0;
  for (const model::World& world : report_.worlds) {
    CHECK(world.first.value == size);
    size += world.size;
  }
  CHECK(report_.world_size == size && tails_.size() == size);
  CHECK(std::ranges::all_of(failures_, &model::RankExit::failed));
  if (report_.cause == model::Cause::rank_failed) {
    CHECK(report_.aborted || !failures_.empty());
    CHECK(report_.aborted || report_.worst >= report_.first.exit_code());
    CHECK(report_.first.rank.value < size && report_.first.failed());
  }
  CHECK(!report_.aborted || report_.together.empty());
  deaths_.check();
}

void Fences::check() const {
  for (const auto& [sequence, parts] : parts_) CHECK(!parts.empty() && parts.size() < nodes_);
}

void Wireup::check() const {
  for (std::size_t i = 0; i < worlds_.size(); ++i) {
    const auto& [placed, fences, answered] = worlds_[i];
    CHECK(placed.world.number == i + 1);
    CHECK(std::ranges::includes(placed.nodes, answered));
    fences.check();
  }
  roll_.check();
  store_roll_.check();
  CHECK(watched_ == longest_wait());
  CHECK(name_bytes_ <= kNamesMax && (name_bytes_ == 0) == names_.empty());
  CHECK(!store_doubted_ || !store_roll_.deadline(base::Duration(0)));
}

// ---- PMIx -------------------------------------------------------------------------------------

void PmixExchange::check() const {
  for (const auto& [nspace, seats] : jobs_) {
    CHECK(seats.nodes.empty() || *seats.nodes.rbegin() < nodes_);
  }
  const auto is_lost = [&](std::uint32_t node) { return std::ranges::count(lost_, node) > 0; };
  for (const auto& [ticket, fetch] : fetches_) {
    const auto& [asker, from] = fetch;
    CHECK(ticket <= last_fetch_);
    CHECK(!is_lost(from) && !is_lost(asker.node));
  }
  for (const auto& [asker, lookup] : waiting_) {
    CHECK(lookup.wait && !is_lost(asker.node));
    const auto is_there = [&](const std::string& key) { return published_.contains(key); };
    CHECK(!std::ranges::all_of(lookup.keys, is_there));
  }
  CHECK(published_bytes_ <= kPublishedMax && (published_bytes_ == 0) == published_.empty());
  CHECK(waiting_bytes_ <= kPublishedMax && (waiting_bytes_ == 0) == waiting_.empty());
  check_rounds();
}

// None is complete, or waits for a node that is lost; who has come to one has come to those before.
void PmixExchange::check_rounds() const {
  for (const auto& [key, rounds] : rounds_) {
    CHECK(!rounds.empty());
    const Round* before = nullptr;
    for (const Round& round : rounds) {
      CHECK(!round.arrived.empty() && round.arrived.size() < round.expected.size());
      for (const std::uint32_t node : lost_) CHECK(std::ranges::count(round.expected, node) == 0);
      for (const auto& [node, part] : round.arrived) {
        CHECK(std::ranges::binary_search(round.expected, node));
        CHECK(before == nullptr || before->arrived.contains(node));
      }
      before = &round;
    }
  }
}

void PmixHead::check() const {
  CHECK(!worlds_.empty());
  for (std::size_t i = 0; i < worlds_.size(); ++i) {
    CHECK(worlds_[i]->nodes.size() == worlds_.front()->nodes.size());
    CHECK(worlds_[i]->parent.has_value() == (i > 0));
    CHECK(i == 0 || worlds_[i - 1]->offset < worlds_[i]->offset);
  }
  exchange_.check();
}

// ---- runs -------------------------------------------------------------------------------------

void Spawns::check() const {
  CHECK(!calling_ || !preparing_);  // one at a time
  CHECK(!calling_ || !calling_->awaited.empty());
  CHECK(waiting_.empty() || calling_ || preparing_);
  if (!preparing_) return;
  CHECK(!preparing_->awaited.empty());
  CHECK(std::ranges::includes(preparing_->planned.placed.nodes, preparing_->awaited));
}

void Run::check() const {
  CHECK(nodes_.size() == input_.plan.nodes.size());
  CHECK(ranks_.size() == input_.plan.ranks.size());
  CHECK(verdict_.so_far().world_size == ranks_.size());
  CHECK(verdict_.so_far().worlds.size() == wireup_.worlds());
  CHECK(round_ <= input_.spec.max_restarts);
  CHECK(stop_.has_value() ? state_ >= State::stopping : state_ != State::stopping);
  CHECK(give_up_at_.has_value() == (state_ == State::stopping));
  CHECK(state_ == State::running || spawns_ == Spawns());
  CHECK(verdict_.so_far().cause == model::Cause::completed || stop_ || ranks_.ended() > 0);
  check_counts();
  check_nodes();
  check_parts();
}

void Run::check_parts() const {
  ranks_.check();
  time_limit_.check();
  stdin_.check();
  wireup_.check();
  spawns_.check();
  verdict_.check();
  if (pmix_) pmix_->check();
}

void Run::check_counts() const {
  std::uint32_t busy = 0;
  for (const Node& node : nodes_) busy += node.busy;
  CHECK(busy == ranks_.alive());
  for (std::uint32_t i = 0; i < input_.plan.ranks.size(); ++i) {
    const auto& own = input_.plan.nodes[input_.plan.ranks[i].node.value].ranks;
    CHECK(std::ranges::binary_search(own, Rank(i)));
  }
}

void Run::check_nodes() const {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const bool is_on = node.state >= NodeState::greeted && node.state <= NodeState::running;
    CHECK(!is_on || node.facts);
    CHECK(!node.away || node.state == NodeState::stopped);
    CHECK(!node.failed || failed_ || stop_);
    CHECK(state_ != State::over || node.state >= NodeState::stopped);
    CHECK(node.state != NodeState::running || state_ >= State::running);
    CHECK(node.state != NodeState::gone || node.busy == 0 || node.failed || stop_);
    CHECK(!spawns_.calls(NodeIndex(i)) || idle(NodeIndex(i)));
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
    CHECK(!one.over() || one.uses.empty());  // it has let go of all its hosts
    CHECK(!one.within || *one.within < one.index);
    for (const auto& [host, node] : one.uses) {
      CHECK(one.hosts[node.value] == host);
      CHECK(host.value < hosts_.size());
      const bool is_leaving = hosts_.state(host) == Hosts::State::leaving;
      CHECK(!is_leaving || needs(one, node));  // it waits for it to have left
    }
  }
  const bool all_over = std::ranges::all_of(runs_, &Member::told_over);
  CHECK(leave_by_.has_value() == all_over);
  CHECK(!finished_ || (all_over && !hosts_.any_link()));
}

// ---- the agent --------------------------------------------------------------------------------

void Register::check() const {
  for (const auto& [number, world] : worlds_) CHECK(world.here.size() <= world.tasks);
}

void AgentMachine::check() const {
  CHECK(state_ != State::fresh || tasks_.empty());
  CHECK(!kill_at_ || state_ == State::ending);
  CHECK(state_ != State::done || !any(Life::running));
  CHECK(state_ != State::done || link_open_);  // without a link it has quit
  for (const auto& [rank, task] : tasks_) {
    if (rank < ended_below_) CHECK(task.life == Life::ended);
    if (rank < drained_below_) CHECK(!task.out_open && !task.err_open);
  }
  register_.check();
}

}  // namespace muster::machine
