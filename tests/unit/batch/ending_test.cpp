// How a run is said to have ended whose head wrote no end.
#include "batch/ending.hpp"

#include <gtest/gtest.h>

#include "batch/slurm.hpp"

namespace muster::batch {
namespace {

using model::RunState;

JobEnd end_as(How how, bool has_begun = true, std::optional<int> code = {},
              const std::string& words = "") {
  Sight sight{.id = "12", .stage = Stage::over, .how = how, .state = "STATE", .hosts = "node1"};
  sight.code = code;
  return end_of(kSlurm, &sight, {"12", has_begun, words});
}

TEST(JobEnd, OfAJobThatWasCancelledIsAStop) {
  const JobEnd waiting = end_as(How::cancelled, false);
  EXPECT_EQ(waiting.state, RunState::stopped);
  EXPECT_EQ(waiting.exit_code, 143);
  EXPECT_EQ(waiting.cause, "Slurm job 12 was cancelled before its run began");
  EXPECT_EQ(end_as(How::cancelled).cause, "Slurm job 12 was cancelled on node1");
}

TEST(JobEnd, AtItsTimeLimitHasTheCodeOfATimeLimit) {
  EXPECT_EQ(end_as(How::timed_out).exit_code, 246);
  EXPECT_EQ(end_as(How::timed_out).cause, "Slurm job 12 reached its time limit on node1");
}

TEST(JobEnd, WithANodeNamesThatNode) {
  EXPECT_EQ(end_as(How::node_lost).exit_code, 245);
  EXPECT_EQ(end_as(How::node_lost).cause,
            "Slurm job 12 was ended with one of its nodes (STATE) on node1");
  EXPECT_EQ(end_as(How::no_memory).cause,
            "Slurm job 12 was ended for want of memory (STATE) on node1");
}

TEST(JobEnd, OfAScriptThatEndedHasItsCodeAndLastWords) {
  const JobEnd end = end_as(How::exited, false, 127, "exec: muster: not found");
  EXPECT_EQ(end.state, RunState::failed);
  EXPECT_EQ(end.exit_code, 127);
  EXPECT_EQ(end.cause,
            "the script of Slurm job 12 ended with exit code 127 on node1 before its run began: "
            "exec: muster: not found");
  EXPECT_EQ(end_as(How::exited, true).state, RunState::died);
  EXPECT_EQ(end_as(How::exited, true, 0).exit_code, std::nullopt);
}

TEST(JobEnd, OfAScriptIsOnItsOwnHostHoweverFewAreLeft) {
  Sight sight{.id = "12",
              .stage = Stage::over,
              .how = How::exited,
              .state = "FAILED",
              .reason = "JobLaunchFailure",
              .hosts = "node2"};
  sight.script_host = "node1";
  EXPECT_EQ(end_of(kSlurm, &sight, {"12", true, ""}).cause,
            "the script of Slurm job 12 ended on node1 (JobLaunchFailure)");
  EXPECT_EQ(
      end_of(kSlurm, &sight, {"12", false, "", "/records/run"}).cause,
      "the script of Slurm job 12 ended on node1 (JobLaunchFailure) before its run began: its "
      "output is not in /records/run, which all nodes must see (MUSTER_RECORDS)");
}

TEST(JobEnd, OfAJobThatNobodyKnowsIsADeath) {
  const JobEnd end = end_of(kSlurm, nullptr, {"12", true, ""});
  EXPECT_EQ(end.state, RunState::died);
  EXPECT_EQ(end.cause, "Slurm knows nothing of job 12 any more, and its run wrote no end");
}

TEST(WaitWords, HaveTheReasonAndTheStartWhereTheyAreKnown) {
  Sight sight{.id = "12", .state = "PENDING", .reason = "Resources", .start = "2026-11-23 22:50"};
  EXPECT_EQ(wait_words(kSlurm, sight),
            "Slurm job 12 waits: Resources; expected to start at 2026-11-23 22:50");
  sight.queued = "2026-11-23 21:30";
  EXPECT_EQ(wait_words(kSlurm, sight),
            "Slurm job 12 waits: Resources; queued since 2026-11-23 21:30; expected to start at "
            "2026-11-23 22:50");
  sight.start = "";
  EXPECT_EQ(wait_words(kSlurm, sight),
            "Slurm job 12 waits: Resources; queued since 2026-11-23 21:30");
  sight.reason = "";
  EXPECT_EQ(wait_words(kSlurm, sight), "");
}

TEST(LastWords, AreMustersOwnWhereItHasSpoken) {
  EXPECT_EQ(last_words_of("loading\nmuster: error: no slots\n  hint: give more\n"), "no slots");
  EXPECT_EQ(last_words_of("job.sh: 9: exec: muster: not found\n\n"),
            "job.sh: 9: exec: muster: not found");
  EXPECT_EQ(last_words_of("muster: one\nmuster: two"), "two");
  EXPECT_EQ(last_words_of(""), "");
}

}  // namespace
}  // namespace muster::batch
