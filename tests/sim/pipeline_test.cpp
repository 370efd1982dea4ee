// Plays pipelines of drawn steps, hosts, ends and interrupts, and judges every effect by rules that
// are computed anew from the whole. MUSTER_SIM_SEED=n plays one; MUSTER_SIM_RUNS=n plays more.
#include "machine/pipeline.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/dice.hpp"

namespace muster::sim {
namespace {

using machine::HostShare;
using machine::Pipeline;
using machine::PipelineEffects;
using machine::PipelineInput;
using model::PlannedStep;
using model::StepState;

constexpr std::uint64_t kPipelineRuns = 3000;

std::uint64_t number_or(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Some of those before it count as passes of a loop.
void draw_loops(PlannedStep& step, Dice& dice) {
  if (step.after.size() < 2 || !dice.chance(0.5)) return;
  std::vector<std::size_t> passes;
  for (const std::size_t before : step.after) {
    if (dice.chance(0.6)) passes.insert(passes.begin(), before);
  }
  if (passes.size() < 2) return;
  if (dice.chance(0.7)) step.any_of.push_back(passes);
  if (dice.chance(0.5)) step.when.push_back({passes, "go", dice.chance(0.5)});
}

PlannedStep draw_step(std::size_t index, std::size_t hosts, Dice& dice) {
  PlannedStep step;
  const double density = 0.1 * dice.between(0, 6);
  for (std::size_t before = 0; before < index; ++before) {
    if (!dice.chance(density / double(index))) continue;
    step.after.push_back(before);
    if (dice.chance(0.15)) step.when.push_back({{before}, "go", dice.chance(0.5)});
  }
  draw_loops(step, dice);
  for (std::size_t host = 0; host < hosts && dice.chance(0.5); ++host) step.hosts.push_back(host);
  const std::size_t may = step.hosts.empty() ? hosts : step.hosts.size();
  step.nodes = dice.between(1, static_cast<std::uint32_t>(may));
  step.slots = dice.between(1, 5);
  step.retries = dice.chance(0.2) ? dice.between(1, 3) : 0;
  return step;
}

PipelineInput draw_pipeline(Dice& dice) {
  PipelineInput input;
  const std::uint32_t hosts = dice.between(1, 4);
  for (std::uint32_t i = 0; i < hosts; ++i) input.slots.push_back(dice.between(1, 6));
  const std::uint32_t steps = dice.between(0, 30);
  for (std::uint32_t i = 0; i < steps; ++i) {
    input.steps.push_back(draw_step(i, hosts, dice));
    if (dice.chance(0.03)) input.skipped.insert(i);
  }
  if (steps > 0 && dice.chance(0.3)) {
    PlannedStep& last = input.steps.back();
    last = {.after = {}, .when = {}, .nodes = 1, .slots = last.slots, .anyway = true};
    for (std::uint32_t i = 0; i + 1 < steps; ++i) last.after.push_back(i);
  }
  input.at_once = dice.chance(0.3) ? dice.between(1, 3) : 0;
  input.goes_on = dice.chance(0.7);
  return input;
}

// What the judge knows of a step, from effects and events alone.
struct Seen {
  StepState state = StepState::waiting;
  std::uint32_t starts = 0;
  std::vector<HostShare> hosts;
  bool go = false;  // what its control output says
};

class PipelineJudge {
 public:
  explicit PipelineJudge(const PipelineInput& input) : input_(input), seen_(input.steps.size()) {}

  void hear(const PipelineEffects& effects) {
    for (const auto& effect : effects) std::visit([&](const auto& one) { on(one); }, effect);
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (could_start(i)) complain(fmt::format("step {} waits, though it could run", i));
      if (must_be_over(i)) complain(fmt::format("step {} waits for nothing", i));
    }
    const bool over = std::ranges::all_of(seen_, [](auto& one) { return is_over(one.state); });
    if (over != (ends_ == 1)) complain("the end is not told when all is over, or told twice");
  }

  void ended(std::size_t step, StepState state, bool go) {
    Seen& one = seen_[step];
    const bool again =
        state == StepState::failed && !ending_ && one.starts <= input_.steps[step].retries;
    one.state = again ? StepState::waiting : state;
    one.hosts.clear();
    one.go = go;
    if (is_done(state) || again || ending_) return;
    if (!input_.goes_on) end();
  }
  void end() {
    ending_ = true;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i].state == StepState::running) awaits_stop_.push_back(i);
    }
  }
  void interrupt() {
    interrupted_ = true;
    end();
  }
  void ends_well() {
    if (!awaits_stop_.empty()) complain("a step that runs is not told to stop");
  }

  [[nodiscard]] const std::vector<Seen>& seen() const { return seen_; }
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }
  void complain(std::string what) { complaints_.push_back(std::move(what)); }

 private:
  void on(const machine::StartStep& start) {
    Seen& one = seen_[start.step];
    if (!may_run(start.step)) complain(fmt::format("step {} may not start", start.step));
    if (!chose_well(start)) complain("another pass than the last one that ran was chosen");
    if (start.attempt != one.starts) complain("an attempt is counted wrongly");
    if (start.hosts.size() != input_.steps[start.step].nodes) complain("not its number of nodes");
    ++one.starts;
    one.state = StepState::running;
    one.hosts = start.hosts;
    check_hosts(start.step);
  }
  void on(const machine::StopStep& stop) {
    if (seen_[stop.step].state != StepState::running) complain("what does not run is stopped");
    std::erase(awaits_stop_, stop.step);
  }
  void on(const machine::StepOver& over) {
    Seen& one = seen_[over.step];
    if (one.state != StepState::waiting) complain("a step that ran is over without having run");
    one.state = over.state;
    if (over.because && is_done(seen_[*over.because].state) && over.state == StepState::blocked) {
      complain("a step is blocked by one that completed");
    }
    const StepState right = bar_of(over.step);
    if (!ending_ && right != over.state)
      complain(fmt::format("step {} is wrongly over", over.step));
  }
  void on(const machine::PipelineOver&) { ++ends_; }

  void check_hosts(std::size_t step) {
    const PlannedStep& plan = input_.steps[step];
    for (const HostShare& share : seen_[step].hosts) {
      const bool its = plan.hosts.empty() || std::ranges::count(plan.hosts, share.host) > 0;
      if (!its) complain("a step is on a host that is not for it");
      if (used(share.host) > input_.slots[share.host]) complain("a host has more than its slots");
    }
    const auto running = std::ranges::count(seen_, StepState::running, &Seen::state);
    if (input_.at_once > 0 && running > input_.at_once) complain("too many steps run");
  }

  [[nodiscard]] bool chose_well(const machine::StartStep& start) const {
    const auto& loops = input_.steps[start.step].any_of;
    if (start.chosen.size() != loops.size()) return false;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (first_done(loops[i]) != &seen_[start.chosen[i]]) return false;
    }
    return true;
  }

  [[nodiscard]] std::uint32_t used(std::size_t host) const {
    std::uint32_t slots = 0;
    for (const Seen& one : seen_) {
      for (const HostShare& share : one.hosts) slots += share.host == host ? share.slots : 0;
    }
    return slots;
  }

  [[nodiscard]] bool may_be_left_out(std::size_t step, std::size_t before) const {
    std::vector<std::vector<std::size_t>> loops = input_.steps[step].any_of;
    for (const auto& when : input_.steps[step].when) loops.push_back(when.steps);
    return std::ranges::any_of(loops, [&](const auto& passes) {
      return passes.size() > 1 && std::ranges::count(passes, before) > 0;
    });
  }
  [[nodiscard]] const Seen* first_done(const std::vector<std::size_t>& passes) const {
    for (const std::size_t pass : passes) {
      if (is_done(seen_[pass].state)) return &seen_[pass];
    }
    return nullptr;
  }

  // What a step that does not run becomes, as soon as all before it are over; waiting: it runs.
  [[nodiscard]] StepState bar_of(std::size_t step) const {
    StepState bar = input_.skipped.contains(step) ? StepState::left_out : StepState::waiting;
    if (input_.steps[step].anyway) return bar;
    for (const std::size_t before : input_.steps[step].after) {
      const StepState state = seen_[before].state;
      if (!is_over(state)) return StepState::waiting;
      if (state == StepState::left_out && !may_be_left_out(step, before)) bar = state;
    }
    const auto lacks = [&](const auto& passes) { return first_done(passes) == nullptr; };
    const auto says_no = [&](const auto& when) {
      return lacks(when.steps) || first_done(when.steps)->go != when.is;
    };
    if (std::ranges::any_of(input_.steps[step].any_of, lacks) ||
        std::ranges::any_of(input_.steps[step].when, says_no)) {
      bar = StepState::left_out;
    }
    for (const std::size_t before : input_.steps[step].after) {
      const StepState state = seen_[before].state;
      if (!is_done(state) && state != StepState::left_out) return StepState::blocked;
    }
    return bar;
  }

  // Nothing starts any more, or only a step that runs anyway.
  [[nodiscard]] bool has_ended(std::size_t step) const {
    return interrupted_ || (ending_ && !input_.steps[step].anyway);
  }
  [[nodiscard]] bool all_over_before(std::size_t step) const {
    return std::ranges::all_of(input_.steps[step].after,
                               [&](std::size_t before) { return is_over(seen_[before].state); });
  }
  [[nodiscard]] bool may_run(std::size_t step) const {
    return !has_ended(step) && seen_[step].state == StepState::waiting && all_over_before(step) &&
           bar_of(step) == StepState::waiting;
  }
  [[nodiscard]] bool must_be_over(std::size_t step) const {
    if (seen_[step].state != StepState::waiting) return false;
    return has_ended(step) || (all_over_before(step) && bar_of(step) != StepState::waiting);
  }
  [[nodiscard]] bool could_start(std::size_t step) const {
    if (!may_run(step)) return false;
    const auto running = std::ranges::count(seen_, StepState::running, &Seen::state);
    if (input_.at_once > 0 && running >= input_.at_once) return false;
    const PlannedStep& plan = input_.steps[step];
    std::uint32_t room = 0;
    for (std::size_t host = 0; host < input_.slots.size(); ++host) {
      const bool its = plan.hosts.empty() || std::ranges::count(plan.hosts, host) > 0;
      const std::uint32_t now = used(host);
      if (its && (now == 0 || now + plan.slots <= input_.slots[host])) ++room;
    }
    return room >= plan.nodes;
  }

  const PipelineInput& input_;
  std::vector<Seen> seen_;
  std::vector<std::size_t> awaits_stop_;
  std::vector<std::string> complaints_;
  int ends_ = 0;
  bool ending_ = false;
  bool interrupted_ = false;
};

class PipelinePlay {
 public:
  explicit PipelinePlay(std::uint64_t seed)
      : dice_(seed), input_(draw_pipeline(dice_)), pipeline_(input_), judge_(input_) {}

  std::vector<std::string> play() {
    step([](Pipeline& one, PipelineEffects& out) { one.begin(out); });
    while (!pipeline_.is_over() && judge_.complaints().empty()) {
      if (dice_.chance(0.02)) {
        interrupt();
      } else {
        end_one();
      }
    }
    return judge_.complaints();
  }

 private:
  // A copy must do the same.
  template <class Act>
  void step(Act act) {
    Pipeline twin = pipeline_;
    PipelineEffects effects;
    PipelineEffects same;
    act(pipeline_, effects);
    act(twin, same);
    if (!(twin == pipeline_) || same != effects) judge_.complain("a copy does something else");
    pipeline_.check();
    judge_.hear(effects);
  }

  void interrupt() {
    judge_.interrupt();
    step([](Pipeline& one, PipelineEffects& out) { one.interrupt(out); });
    judge_.ends_well();
  }

  void end_one() {
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i < judge_.seen().size(); ++i) {
      if (judge_.seen()[i].state == StepState::running) running.push_back(i);
    }
    if (running.empty()) return judge_.complain("nothing runs, and nothing is over");
    const auto last = static_cast<std::uint32_t>(running.size() - 1);
    const std::size_t which = running[dice_.between(0, last)];
    const bool go = dice_.chance(0.6);
    const StepState state = draw_end();
    judge_.ended(which, state, go);
    step([&](Pipeline& one, PipelineEffects& out) {
      one.ended(which, {state, {{"go", go}}}, out);
    });
    judge_.ends_well();
  }

  StepState draw_end() {
    if (dice_.chance(0.1)) return StepState::failed;
    if (dice_.chance(0.03)) return StepState::stopped;
    return dice_.chance(0.1) ? StepState::reused : StepState::completed;
  }

  Dice dice_;
  PipelineInput input_;
  Pipeline pipeline_;
  PipelineJudge judge_;
};

TEST(Pipelines, KeepEveryRule) {
  const std::uint64_t only = number_or("MUSTER_SIM_SEED", 0);
  const std::uint64_t first = only > 0 ? only : number_or("MUSTER_SIM_FIRST", 1);
  const std::uint64_t runs = only > 0 ? 1 : number_or("MUSTER_SIM_RUNS", kPipelineRuns);
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    const auto complaints = PipelinePlay(seed).play();
    EXPECT_TRUE(complaints.empty()) << "seed " << seed << ": " << complaints.front();
  }
}

}  // namespace
}  // namespace muster::sim
