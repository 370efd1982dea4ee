// Answers of Slurm 22.05's commands, as they were seen, and what they mean.
#include "batch/slurm_answers.hpp"

#include <gtest/gtest.h>

namespace muster::batch {
namespace {

TEST(SlurmId, IsTheNumberBeforeTheCluster) {
  EXPECT_EQ(slurm_id("123\n"), "123");
  EXPECT_EQ(slurm_id("sbatch: a site's greeting\n4711;lab\n"), "4711");
  EXPECT_EQ(slurm_id("Submitted batch job 12\n"), "");
  EXPECT_EQ(slurm_id(""), "");
}

TEST(SlurmList, TellsWhyAJobWaitsAndUntilWhen) {
  const auto jobs = slurm_listed(
      "12|PENDING|Resources|2026-11-23T22:50:07+0100||n/a|2026-11-24T22:50:07+0100|"
      "2026-11-23T21:30:59+0100\n"
      "13|PENDING|Dependency|N/A||n/a|N/A\n"
      "14|RUNNING|None|2026-11-23T22:40:00+0100|node[1-2]|node1|2026-11-24T22:40:00+0100\n");
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[0].stage, Stage::waiting);
  EXPECT_EQ(jobs[0].reason, "Resources");
  EXPECT_EQ(jobs[0].start, "2026-11-23 22:50");
  EXPECT_EQ(jobs[0].queued, "2026-11-23 21:30");
  EXPECT_EQ(jobs[1].start, "");
  EXPECT_EQ(jobs[1].queued, "");
  EXPECT_EQ(jobs[2].stage, Stage::running);
  EXPECT_EQ(jobs[2].reason, "");
  EXPECT_EQ(jobs[2].hosts, "node[1-2]");
  EXPECT_EQ(jobs[2].script_host, "node1");
  EXPECT_EQ(jobs[0].script_host, "");
  for (const Sight& job : jobs) EXPECT_EQ(job.ended, std::nullopt);  // that is its time limit
}

TEST(SlurmList, ExplainsAReasonThatStays) {
  EXPECT_EQ(slurm_listed("7|PENDING|JobHeldUser|N/A||n/a|N/A\n").at(0).reason,
            "JobHeldUser: held; scontrol release 7 lets it start");
}

TEST(SlurmList, TellsHowAJobHasEnded) {
  const auto how = [](std::string_view state) {
    const auto jobs = slurm_listed("1|" + std::string(state) + "|None|N/A|node1|node1|N/A\n");
    return std::pair(jobs.at(0).stage, jobs.at(0).how);
  };
  EXPECT_EQ(how("COMPLETED"), std::pair(Stage::over, How::exited));
  EXPECT_EQ(how("FAILED"), std::pair(Stage::over, How::exited));
  EXPECT_EQ(how("CANCELLED"), std::pair(Stage::over, How::cancelled));
  EXPECT_EQ(how("TIMEOUT"), std::pair(Stage::over, How::timed_out));
  EXPECT_EQ(how("NODE_FAIL"), std::pair(Stage::over, How::node_lost));
  EXPECT_EQ(how("OUT_OF_MEMORY"), std::pair(Stage::over, How::no_memory));
  EXPECT_EQ(how("PREEMPTED"), std::pair(Stage::over, How::preempted));
  EXPECT_EQ(how("REQUEUED").first, Stage::waiting);
  EXPECT_EQ(how("COMPLETING").first, Stage::running);
}

TEST(SlurmList, TellsWhenAJobHasEndedWhateverTheZone) {
  constexpr std::chrono::sys_days kDay{std::chrono::November / 26 / 2026};
  const auto ended = [](std::string_view time) {
    const auto line = "1|CANCELLED|None|N/A||n/a|" + std::string(time) + "\n";
    return slurm_listed(line).at(0).ended;
  };
  EXPECT_EQ(ended("2026-11-26T00:30:05+0100"), kDay - std::chrono::seconds(1795));
  EXPECT_EQ(ended("2026-11-25T19:00:00-0530"), kDay + std::chrono::minutes(30));
  EXPECT_EQ(ended("2026-11-25T19:00:00"), std::nullopt);
  EXPECT_EQ(ended("Unknown"), std::nullopt);
  EXPECT_EQ(slurm_past("1|TIMEOUT|0:0|node1|2026-11-26T00:00:00+0000\n").at(0).ended, kDay);
}

TEST(SlurmList, TellsSinceWhenAJobHasHadHosts) {
  constexpr std::chrono::sys_days kDay{std::chrono::November / 26 / 2026};
  const auto listed = [](const char* state, const char* hosts) {
    return slurm_listed(
               fmt::format("1|{}|None|2026-11-26T01:00:00+0100|{}|n/a|N/A\n", state, hosts))
        .at(0)
        .began;
  };
  EXPECT_EQ(listed("RUNNING", "node1"), kDay);
  EXPECT_EQ(listed("TIMEOUT", "node1"), kDay);
  EXPECT_EQ(listed("PENDING", ""), std::nullopt);  // it is expected to start then
  EXPECT_EQ(listed("CANCELLED", ""), std::nullopt);
  const auto past = [](const char* hosts) {
    return slurm_past(fmt::format("1|CANCELLED by 0|0:15|{}|2026-11-26T00:10:00+0000|"
                                  "2026-11-26T00:00:00+0000\n",
                                  hosts))
        .at(0)
        .began;
  };
  EXPECT_EQ(past("node1"), kDay);
  EXPECT_EQ(past("None assigned"), std::nullopt);
}

TEST(SlurmList, ConcludesNothingFromAStateThatItDoesNotKnow) {
  EXPECT_EQ(slurm_listed("1|HIBERNATING|None|N/A||n/a|N/A\n").at(0).stage, Stage::running);
}

TEST(SlurmList, LeavesOutLinesThatAreNone) {
  EXPECT_TRUE(slurm_listed("").empty());
  EXPECT_TRUE(slurm_listed("slurm_load_jobs error: Invalid job id\n|||||||\n12|RUNNING\n").empty());
}

TEST(SlurmPast, HasTheCodeOfTheScriptOrItsSignal) {
  const auto jobs = slurm_past(
      "12|FAILED|242:0|node1|2026-11-23T22:50:07+0100\n"
      "13|CANCELLED by 1000|0:15|None assigned|Unknown\n"
      "14|CANCELLED+|0:0||\n");
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[0].code, 242);
  EXPECT_EQ(jobs[1].how, How::cancelled);
  EXPECT_EQ(jobs[1].code, 128 + 15);
  EXPECT_EQ(jobs[2].how, How::cancelled);
}

TEST(SlurmTested, SaysWhenTheJobWouldStart) {
  constexpr model::Utc kNow = std::chrono::sys_days{std::chrono::November / 23 / 2026};
  const auto tested = [&](std::string_view said) { return slurm_tested(said, kNow); };
  EXPECT_EQ(tested("sbatch: Job 5 to start at 2026-11-23T22:50:07 using 2 processors on "
                   "nodes node[1-2] in partition main\n"),
            "it would start at 2026-11-23T22:50:07 using 2 processors on nodes node[1-2] in "
            "partition main");
  EXPECT_EQ(tested(""), "it would be taken");
  for (const char* time : {"2154-07-01T02:39:38", "2027-11-23T17:36:38+0100"}) {
    EXPECT_EQ(tested(std::string("sbatch: Job 5 to start at ") + time + " using 2 processors\n"),
              "it would be taken; Slurm knows of no start within half a year");
  }
}

}  // namespace
}  // namespace muster::batch
