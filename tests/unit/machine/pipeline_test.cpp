// Pipeline: what starts when, what a failure bars, and what an interrupt leaves.
#include "machine/pipeline.hpp"

#include <concepts>
#include <gtest/gtest.h>

namespace muster::machine::pipeline_test {
namespace {

using model::PlannedStep;
using model::StepState;

static_assert(std::equality_comparable<Pipeline> && std::copyable<Pipeline>);

PlannedStep after(std::vector<std::size_t> steps) { return {std::move(steps), {}}; }

// Effects in a few words: "start 1 with 0 on 0:2", "over 2 blocked by 0".
std::string words(const PipelineEffect& effect) {
  if (const auto* start = std::get_if<StartStep>(&effect)) {
    std::string text = "start " + std::to_string(start->step);
    if (start->attempt > 0) text += " attempt " + std::to_string(start->attempt);
    for (const std::size_t one : start->chosen) text += " with " + std::to_string(one);
    text += " on";
    for (const HostShare& share : start->hosts) {
      text += " " + std::to_string(share.host) + ":" + std::to_string(share.slots);
    }
    return text;
  }
  if (const auto* stop = std::get_if<StopStep>(&effect)) {
    return "stop " + std::to_string(stop->step);
  }
  if (const auto* over = std::get_if<StepOver>(&effect)) {
    std::string text = "over " + std::to_string(over->step) + " " + std::string(word(over->state));
    if (over->because) text += " by " + std::to_string(*over->because);
    return text;
  }
  return "end";
}

class Player {
 public:
  explicit Player(PipelineInput input) : pipeline_(std::move(input)) {}

  std::vector<std::string> begin() {
    return heard([&](PipelineEffects& out) { pipeline_.begin(out); });
  }
  std::vector<std::string> end(std::size_t step, StepState state,
                               std::map<std::string, bool> says = {}) {
    return heard([&](PipelineEffects& out) { pipeline_.ended(step, {state, says}, out); });
  }
  std::vector<std::string> interrupt() {
    return heard([&](PipelineEffects& out) { pipeline_.interrupt(out); });
  }
  [[nodiscard]] const Pipeline& pipeline() const { return pipeline_; }

 private:
  template <class Act>
  std::vector<std::string> heard(Act act) {
    PipelineEffects out;
    act(out);
    pipeline_.check();
    std::vector<std::string> all;
    for (const PipelineEffect& effect : out) all.push_back(words(effect));
    return all;
  }

  Pipeline pipeline_;
};

using Words = std::vector<std::string>;

TEST(Pipeline, StartsAStepOnceAllBeforeItAreDone) {
  Player player({{after({}), after({}), after({0, 1})}, {4}});
  EXPECT_EQ(player.begin(), (Words{"start 0 on 0:1", "start 1 on 0:1"}));
  EXPECT_EQ(player.end(1, StepState::completed), Words{});
  EXPECT_EQ(player.end(0, StepState::reused), Words{"start 2 on 0:1"});
  EXPECT_EQ(player.end(2, StepState::completed), Words{"end"});
  EXPECT_FALSE(player.pipeline().culprit());
}

TEST(Pipeline, HasNothingToDoWithoutSteps) { EXPECT_EQ(Player({{}, {1}}).begin(), Words{"end"}); }

TEST(Pipeline, SharesHostsByTheirSlots) {
  Player player({{{{}, {}, 2, 2}, {{}, {}, 1, 3}, {{}, {}, 1, 1}}, {4, 2}});
  EXPECT_EQ(player.begin(), (Words{"start 0 on 0:2 1:2", "start 2 on 0:1"}));
  EXPECT_EQ(player.end(2, StepState::completed), Words{});
  EXPECT_EQ(player.end(0, StepState::completed), Words{"start 1 on 0:3"});
}

TEST(Pipeline, GivesAWholeHostToAStepThatIsLargerThanIt) {
  Player player({{{{}, {}, 1, 8}, after({})}, {2}});
  EXPECT_EQ(player.begin(), Words{"start 0 on 0:2"});
  EXPECT_EQ(player.end(0, StepState::completed), Words{"start 1 on 0:1"});
}

TEST(Pipeline, GivesAStepOnlyTheHostsThatItMayUse) {
  Player player({{{{}, {}, 1, 1, 0, {1}}, {{}, {}, 1, 1, 0, {1}}}, {4, 1}});
  EXPECT_EQ(player.begin(), Words{"start 0 on 1:1"});
  EXPECT_EQ(player.end(0, StepState::completed), Words{"start 1 on 1:1"});
}

TEST(Pipeline, StartsNoMoreThanItMayAtOnce) {
  Player player({{after({}), after({}), after({})}, {9}, 2});
  EXPECT_EQ(player.begin(), (Words{"start 0 on 0:1", "start 1 on 0:1"}));
  EXPECT_EQ(player.end(0, StepState::completed), Words{"start 2 on 0:1"});
}

TEST(Pipeline, BlocksWhatDependsOnAFailure) {
  Player player({{after({}), after({0}), after({1}), after({})}, {1}});
  EXPECT_EQ(player.begin(), Words{"start 0 on 0:1"});
  EXPECT_EQ(player.end(0, StepState::failed),
            (Words{"over 1 blocked by 0", "over 2 blocked by 1", "start 3 on 0:1"}));
  EXPECT_EQ(player.end(3, StepState::completed), Words{"end"});
  EXPECT_EQ(player.pipeline().culprit(), 0U);
}

TEST(Pipeline, StopsAllAfterAFailureIfItIsToldSo) {
  Player player({{after({}), after({}), after({1})}, {2}, 0, false});
  (void)player.begin();
  EXPECT_EQ(player.end(0, StepState::failed), (Words{"stop 1", "over 2 blocked by 0"}));
  EXPECT_EQ(player.end(1, StepState::stopped), Words{"end"});
  EXPECT_EQ(player.pipeline().culprit(), 0U);
}

TEST(Pipeline, TriesAgain) {
  Player player({{{{}, {}, 1, 1, 1}, after({0})}, {1}});
  (void)player.begin();
  EXPECT_EQ(player.end(0, StepState::failed), Words{"start 0 attempt 1 on 0:1"});
  EXPECT_EQ(player.end(0, StepState::failed), (Words{"over 1 blocked by 0", "end"}));
}

TEST(Pipeline, LeavesOutWhatAConditionExcludes) {
  const PlannedStep then{{0}, {{{0}, "good", true}}};
  const PlannedStep otherwise{{0}, {{{0}, "good", false}}};
  Player player({{after({}), then, otherwise, after({2})}, {1}});
  (void)player.begin();
  EXPECT_EQ(player.end(0, StepState::completed, {{"good", true}}),
            (Words{"over 2 left out by 0", "over 3 left out by 2", "start 1 on 0:1"}));
  EXPECT_EQ(player.end(1, StepState::completed), Words{"end"});
}

TEST(Pipeline, TakesTheLastPassOfALoop) {
  const PlannedStep second{{0}, {{{0}, "more", true}}};
  const PlannedStep third{{1}, {{{1}, "more", true}}};
  PlannedStep then = after({0, 1, 2});
  then.any_of = {{2, 1, 0}};
  Player player({{after({}), second, third, then}, {1}});
  (void)player.begin();
  EXPECT_EQ(player.end(0, StepState::completed, {{"more", true}}), Words{"start 1 on 0:1"});
  EXPECT_EQ(player.end(1, StepState::completed, {{"more", false}}),
            (Words{"over 2 left out by 1", "start 3 with 1 on 0:1"}));
  EXPECT_EQ(player.end(3, StepState::completed), Words{"end"});
}

TEST(Pipeline, AsksTheLastPassOfALoopForItsWord) {
  const PlannedStep second{{0}, {{{0}, "more", true}}};
  const PlannedStep then{{0, 1}, {{{1, 0}, "good", true}}};
  for (const bool good : {false, true}) {
    Player player({{after({}), second, then}, {1}});
    (void)player.begin();
    const Words ends = good ? Words{"over 1 left out by 0", "start 2 on 0:1"}
                            : Words{"over 1 left out by 0", "over 2 left out by 0", "end"};
    EXPECT_EQ(player.end(0, StepState::completed, {{"more", false}, {"good", good}}), ends);
  }
}

TEST(Pipeline, LeavesOutWhatNoPassHasMade) {
  PlannedStep then = after({0, 1});
  then.any_of = {{1, 0}};
  Player player({{after({}), after({}), then}, {1}, 0, true, {0, 1}});
  EXPECT_EQ(player.begin(),
            (Words{"over 0 left out", "over 1 left out", "over 2 left out by 1", "end"}));
}

PlannedStep anyway(std::vector<std::size_t> steps) {
  PlannedStep step = after(std::move(steps));
  step.anyway = true;
  return step;
}

TEST(Pipeline, RunsTheLastStepWhateverHasBecomeOfTheOthers) {
  Player player({{after({}), after({0}), anyway({0, 1})}, {1}});
  (void)player.begin();
  EXPECT_EQ(player.end(0, StepState::failed), (Words{"over 1 blocked by 0", "start 2 on 0:1"}));
  EXPECT_EQ(player.end(2, StepState::completed), Words{"end"});
  EXPECT_EQ(player.pipeline().culprit(), 0U);
}

TEST(Pipeline, RunsTheLastStepWhenItEndsAfterAFailure) {
  Player player({{after({}), after({}), after({1}), anyway({0, 1, 2})}, {2}, 0, false});
  (void)player.begin();
  EXPECT_EQ(player.end(0, StepState::failed), (Words{"stop 1", "over 2 blocked by 0"}));
  EXPECT_EQ(player.end(1, StepState::stopped), Words{"start 3 on 0:1"});
  EXPECT_EQ(player.interrupt(), Words{"stop 3"});
  EXPECT_EQ(player.end(3, StepState::stopped), Words{"end"});
}

TEST(Pipeline, RunsNoLastStepWhenItIsInterrupted) {
  Player player({{after({}), anyway({0})}, {1}});
  (void)player.begin();
  EXPECT_EQ(player.interrupt(), (Words{"stop 0", "over 1 blocked"}));
  EXPECT_EQ(player.end(0, StepState::stopped), Words{"end"});
}

TEST(Pipeline, LeavesOutWhatTheUserSkips) {
  Player player({{after({}), after({0}), after({})}, {1}, 0, true, {0}});
  EXPECT_EQ(player.begin(), (Words{"over 0 left out", "over 1 left out by 0", "start 2 on 0:1"}));
}

TEST(Pipeline, NamesAFailureBeforeWhatWasLeftOut) {
  Player player({{after({}), after({}), after({0, 1})}, {2}, 0, true, {0}});
  (void)player.begin();
  EXPECT_EQ(player.end(1, StepState::failed), (Words{"over 2 blocked by 1", "end"}));
}

TEST(Pipeline, EndsWithWhatRunsWhenItIsInterrupted) {
  Player player({{{{}, {}, 1, 1, 5}, after({0})}, {1}});
  (void)player.begin();
  EXPECT_EQ(player.interrupt(), (Words{"stop 0", "over 1 blocked"}));
  EXPECT_EQ(player.interrupt(), Words{"stop 0"});
  EXPECT_EQ(player.end(0, StepState::failed), Words{"end"}) << "no further attempt";
  EXPECT_EQ(player.interrupt(), Words{});
}

}  // namespace
}  // namespace muster::machine::pipeline_test
