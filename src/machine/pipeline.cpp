// Starts steps as their inputs and hosts allow.
#include "machine/pipeline.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.hpp"

namespace muster::machine {

using model::StepState;

Pipeline::Pipeline(PipelineInput input)
    : input_(std::move(input)),
      steps_(input_.steps.size()),
      later_(input_.steps.size()),
      used_(input_.slots.size()) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const model::PlannedStep& step = input_.steps[i];
    CHECK(step.nodes > 0 && step.nodes <= hosts_of(step));
    steps_[i].awaited = step.after.size();
    for (const std::size_t before : step.after) {
      CHECK(before < i);
      later_[before].push_back(i);
    }
  }
}

void Pipeline::begin(PipelineEffects& out) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!input_.steps[i].after.empty()) continue;
    decide(i, out);
    if (model::is_over(steps_[i].state)) spread(i, out);
  }
  start_what_fits(out);
  if (is_over()) out.emplace_back(PipelineOver{});
}

void Pipeline::ended(std::size_t step, const StepEnd& end, PipelineEffects& out) {
  Step& one = steps_[step];
  CHECK(one.state == StepState::running && model::is_over(end.state));
  running_.erase(step);
  give_back(one);
  one.says = end.says;
  const bool again =
      end.state == StepState::failed && !ending_ && one.attempt < input_.steps[step].retries;
  if (again) {
    ++one.attempt;
    one.state = StepState::waiting;
    ready_.insert(step);
  } else {
    const bool fine = model::is_done(end.state);
    if (!fine && !ending_ && !culprit_) culprit_ = step;
    settle(step, end.state, out);
    if (!fine && !input_.goes_on && !ending_) end_all(out);
  }
  start_what_fits(out);
  if (is_over()) out.emplace_back(PipelineOver{});
}

void Pipeline::interrupt(PipelineEffects& out) {
  if (is_over()) return;
  interrupted_ = true;
  end_all(out);
  if (is_over()) out.emplace_back(PipelineOver{});
}

// What runs is told to stop, nothing more starts.
void Pipeline::end_all(PipelineEffects& out) {
  ending_ = true;
  for (const std::size_t step : running_) out.emplace_back(StopStep{step});
  std::erase_if(ready_, [&](std::size_t one) { return interrupted_ || !input_.steps[one].anyway; });
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].state != StepState::waiting) continue;
    if (interrupted_ || !input_.steps[i].anyway) close_at_end(i, out);
  }
}

// Of those that wait for it only such hear of it that run anyway.
void Pipeline::close_at_end(std::size_t step, PipelineEffects& out) {
  Step& one = steps_[step];
  if (one.bar == StepState::left_out || !one.barred) one.barred = culprit_;
  one.bar = StepState::blocked;
  close(step, out);
  for (const std::size_t next : later_[step]) {
    if (!input_.steps[next].anyway || steps_[next].state != StepState::waiting) continue;
    hear(next, step);
    if (steps_[next].awaited == 0 && !interrupted_) decide(next, out);
  }
}

void Pipeline::settle(std::size_t step, StepState state, PipelineEffects& out) {
  steps_[step].state = state;
  ++over_;
  spread(step, out);
}

// Without recursion: a chain of 10,000 steps may be barred by its first.
void Pipeline::spread(std::size_t step, PipelineEffects& out) {
  std::vector<std::size_t> news = {step};
  while (!news.empty()) {
    const std::size_t before = news.back();
    news.pop_back();
    for (const std::size_t next : later_[before]) {
      hear(next, before);
      if (steps_[next].awaited > 0 || steps_[next].state != StepState::waiting) continue;
      decide(next, out);
      if (model::is_over(steps_[next].state)) news.push_back(next);
    }
  }
}

void Pipeline::hear(std::size_t step, std::size_t before) {
  Step& one = steps_[step];
  CHECK(one.awaited > 0);
  --one.awaited;
  const StepState state = steps_[before].state;
  if (input_.steps[step].anyway) return;
  if (state == StepState::left_out) {
    if (!is_one_of_several(step, before)) bar(step, before, StepState::left_out);
  } else if (!model::is_done(state)) {
    bar(step, before, StepState::blocked);
  }
}

bool Pipeline::is_one_of_several(std::size_t step, std::size_t before) const {
  const model::PlannedStep& plan = input_.steps[step];
  const auto has = [&](const auto& steps) {
    return steps.size() > 1 && std::ranges::find(steps, before) != steps.end();
  };
  return std::ranges::any_of(plan.any_of, has) ||
         std::ranges::any_of(plan.when, has, &model::StepCondition::steps);
}

std::optional<std::size_t> Pipeline::first_done(const std::vector<std::size_t>& steps) const {
  const auto done = [&](std::size_t one) { return model::is_done(steps_[one].state); };
  const auto found = std::ranges::find_if(steps, done);
  return found == steps.end() ? std::nullopt : std::optional(*found);
}

// Those before it are over, and none of them keeps it from running by itself.
void Pipeline::choose(std::size_t step) {
  for (const std::vector<std::size_t>& steps : input_.steps[step].any_of) {
    const auto found = first_done(steps);
    if (!found) return bar(step, steps.front(), StepState::left_out);
    steps_[step].chosen.push_back(*found);
  }
  for (const model::StepCondition& condition : input_.steps[step].when) weigh(step, condition);
}

void Pipeline::weigh(std::size_t step, const model::StepCondition& condition) {
  const auto found = first_done(condition.steps);
  if (!found) return bar(step, condition.steps.front(), StepState::left_out);
  const auto& says = steps_[*found].says;
  const auto said = says.find(condition.output);
  const bool holds = said != says.end() && said->second == condition.is;
  if (!holds) bar(step, *found, StepState::left_out);
}

// A failure before a step is what the user must know, whatever else keeps it from running.
void Pipeline::bar(std::size_t step, std::size_t before, StepState as) {
  Step& one = steps_[step];
  if (one.barred && (one.bar == StepState::blocked || as == StepState::left_out)) return;
  one.barred = before;
  one.bar = as;
}

// All before it are over.
void Pipeline::decide(std::size_t step, PipelineEffects& out) {
  Step& one = steps_[step];
  CHECK(one.awaited == 0 && one.state == StepState::waiting);
  if (!one.barred) choose(step);
  const bool skipped = !one.barred && input_.skipped.contains(step);
  if (skipped) one.bar = StepState::left_out;
  if (one.barred || skipped) {
    close(step, out);
  } else {
    ready_.insert(step);
  }
}

void Pipeline::close(std::size_t step, PipelineEffects& out) {
  Step& one = steps_[step];
  one.state = one.bar;
  ++over_;
  out.emplace_back(StepOver{step, one.state, one.barred});
}

bool Pipeline::is_full() const {
  if (input_.at_once > 0 && running_.size() >= input_.at_once) return true;
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (used_[i] < input_.slots[i]) return false;
  }
  return true;
}

// Where a step finds no room, others of its size need not look.
void Pipeline::start_what_fits(PipelineEffects& out) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::vector<std::size_t>>> too_large;
  for (auto next = ready_.begin(); next != ready_.end() && !is_full();) {
    const std::size_t step = *next;
    const model::PlannedStep& plan = input_.steps[step];
    const auto size = std::tie(plan.nodes, plan.slots, plan.hosts);
    std::vector<HostShare> hosts;
    if (!too_large.contains(size)) hosts = room_for(plan);
    if (hosts.empty()) {
      too_large.insert(size);
      ++next;
      continue;
    }
    next = ready_.erase(next);
    start(step, std::move(hosts), out);
  }
}

std::size_t Pipeline::hosts_of(const model::PlannedStep& step) const {
  return step.hosts.empty() ? input_.slots.size() : step.hosts.size();
}

// A step that wants more slots than a host has gets that host for itself.
std::vector<HostShare> Pipeline::room_for(const model::PlannedStep& step) const {
  std::vector<HostShare> hosts;
  for (std::size_t i = 0; i < hosts_of(step) && hosts.size() < step.nodes; ++i) {
    const std::size_t host = step.hosts.empty() ? i : step.hosts[i];
    const bool fits = used_[host] == 0 || used_[host] + step.slots <= input_.slots[host];
    if (fits) hosts.push_back({host, std::min(step.slots, input_.slots[host])});
  }
  if (hosts.size() < step.nodes) hosts.clear();
  return hosts;
}

void Pipeline::start(std::size_t step, std::vector<HostShare> hosts, PipelineEffects& out) {
  Step& one = steps_[step];
  for (const HostShare& share : hosts) used_[share.host] += share.slots;
  one.state = StepState::running;
  one.hosts = hosts;
  running_.insert(step);
  out.emplace_back(StartStep{step, one.attempt, std::move(hosts), one.chosen});
}

void Pipeline::give_back(Step& step) {
  for (const HostShare& share : step.hosts) {
    CHECK(used_[share.host] >= share.slots);
    used_[share.host] -= share.slots;
  }
  step.hosts.clear();
}

void Pipeline::check() const {
  std::size_t over = 0;
  std::vector<std::uint32_t> used(used_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& one = steps_[i];
    if (model::is_over(one.state)) ++over;
    CHECK(running_.contains(i) == (one.state == StepState::running));
    CHECK(!ready_.contains(i) || (one.state == StepState::waiting && one.awaited == 0));
    CHECK(one.hosts.empty() == (one.state != StepState::running));
    for (const HostShare& share : one.hosts) used[share.host] += share.slots;
  }
  CHECK(over == over_);
  CHECK(used == used_);
  for (const std::size_t ready : ready_) CHECK(!ending_ || input_.steps[ready].anyway);
  CHECK(input_.at_once == 0 || running_.size() <= input_.at_once);
  for (std::size_t i = 0; i < used_.size(); ++i) CHECK(used_[i] <= input_.slots[i]);
}

}  // namespace muster::machine
