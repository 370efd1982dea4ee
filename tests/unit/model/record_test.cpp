// What a record without an end means.
#include "model/record.hpp"

#include <gtest/gtest.h>

namespace muster::model {
namespace {

using std::chrono::milliseconds;

constexpr Utc kStart{milliseconds(1'000'000)};
constexpr Utc kLater{milliseconds(1'002'500)};

RunRecord record() {
  RunRecord record;
  record.created = kStart;
  record.head = {"node1", 42, "boot-1"};
  return record;
}

TEST(Judged, RunsWhileItsLockIsHeld) {
  Unfinished found{true, std::nullopt, kLater, {"node1", 1, "boot-1"}};
  EXPECT_EQ(judged(record(), found).state, RunState::starting);
  found.started = kStart;
  const RunRecord running = judged(record(), found);
  EXPECT_EQ(running.state, RunState::running);
  EXPECT_EQ(running.ended, std::nullopt);
  EXPECT_EQ(running.cause, "");
}

TEST(Judged, IsHeldFromAnotherHostToo) {
  const Unfinished found{true, kStart, kLater, {"node2", 1, "boot-2"}};
  EXPECT_EQ(judged(record(), found).state, RunState::running);
}

TEST(Judged, DiedWithItsHead) {
  const RunRecord died = judged(record(), {false, kStart, kLater, {"node1", 1, "boot-1"}});
  EXPECT_EQ(died.state, RunState::died);
  EXPECT_EQ(died.cause, "muster (pid 42) ended without a report, as after SIGKILL");
  EXPECT_EQ(died.ended, kLater);
}

TEST(Judged, EndedNoSoonerThanItStarted) {
  const Utc coarse = kStart - milliseconds(3);
  const RunRecord died = judged(record(), {false, kStart, coarse, {"node1", 1, "boot-1"}});
  EXPECT_EQ(died.ended, kStart);
}

TEST(Judged, DiedWithItsSteps) {
  RunRecord pipeline = record();
  pipeline.steps = {{.name = "done", .state = StepState::completed, .ended = kStart},
                    {.name = "under_way", .state = StepState::running, .started = kStart},
                    {.name = "next"}};
  const RunRecord died = judged(pipeline, {false, kStart, kLater, {"node1", 1, "boot-1"}});
  EXPECT_EQ(died.steps[0], pipeline.steps[0]);
  EXPECT_EQ(died.steps[1].state, StepState::stopped);
  EXPECT_EQ(died.steps[1].ended, kLater);
  EXPECT_EQ(died.steps[2].state, StepState::blocked);
  EXPECT_EQ(died.steps[2].ended, std::nullopt);
}

TEST(Judged, EndedAsItsLastEventTells) {
  Unfinished found{false, kStart, kLater, {"node1", 1, "boot-1"}};
  found.ending = Ending{RunState::failed, 3, "rank", "rank 1 exited", kStart + milliseconds(7)};
  const RunRecord ended = judged(record(), found);
  EXPECT_EQ(ended.state, RunState::failed);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.cause, "rank 1 exited");
  EXPECT_EQ(ended.ended, kStart + milliseconds(7));
}

TEST(Judged, IsTheJobThatItsEventsTellUnlessItSaysSoItself) {
  Unfinished found{false, std::nullopt, kLater, {"node1", 1, "boot-1"}};
  found.job = "7";
  RunRecord queued = record();
  queued.scheduler.kind = "slurm";
  EXPECT_EQ(judged(queued, found).scheduler.id, "7");
  queued.scheduler.id = "8";
  EXPECT_EQ(judged(queued, found).scheduler.id, "8");
}

TEST(Judged, DiedWithItsHost) {
  const RunRecord died = judged(record(), {false, kStart, kLater, {"node1", 1, "boot-2"}});
  EXPECT_EQ(died.state, RunState::died);
  EXPECT_EQ(died.cause, "node1 was restarted while it ran");
}

TEST(Judged, IsUnknownWhereLocksDoNotShow) {
  const RunRecord lost = judged(record(), {false, kStart, kLater, {"node2", 1, "boot-2"}});
  EXPECT_EQ(lost.state, RunState::unknown);
  EXPECT_EQ(lost.cause, "node1 holds no lock on it that can be seen from node2");
}

TEST(Judged, IsQueuedWhereASchedulerHasIt) {
  RunRecord one = record();
  one.scheduler = {"kubernetes", "cluster", "", "team", "kufa-x1"};
  const RunRecord queued = judged(one, {false, std::nullopt, kLater, {"node1", 1, "boot-1"}});
  EXPECT_EQ(queued.state, RunState::queued);
  EXPECT_TRUE(queued.is_live());
  EXPECT_EQ(queued.cause, "");
  EXPECT_EQ(queued.ended, std::nullopt);
}

TEST(SecondsOf, CountFromTheStartToTheEndOrToNow) {
  RunRecord one = record();
  EXPECT_DOUBLE_EQ(seconds_of(one, kLater), 2.5);
  one.started = kStart + milliseconds(500);
  EXPECT_DOUBLE_EQ(seconds_of(one, kLater), 2.0);
  one.ended = kStart + milliseconds(600);
  EXPECT_DOUBLE_EQ(seconds_of(one, kLater), 0.1);
  one.ended = kStart;  // a clock that was set back
  EXPECT_DOUBLE_EQ(seconds_of(one, kLater), 0.0);
}

TEST(RunStates, HaveWordsThatCanBeReadBack) {
  for (int i = 0; i <= static_cast<int>(RunState::unknown); ++i) {
    const auto state = static_cast<RunState>(i);
    EXPECT_EQ(run_state(word(state)), state);
  }
  EXPECT_EQ(run_state("done"), std::nullopt);
}

}  // namespace
}  // namespace muster::model
