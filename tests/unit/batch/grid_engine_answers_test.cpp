// What the commands of a Grid Engine 8.1.9 have answered, and what it means.
#include "batch/grid_engine_answers.hpp"

#include <gtest/gtest.h>

#include "batch/grid_engine.hpp"

namespace muster::batch::grid_engine_answers_test {
namespace {

TEST(GridEngineId, IsTheNumberOfQsub) {
  EXPECT_EQ(grid_engine_id("12\n"), "12");
  EXPECT_EQ(grid_engine_id("warning: something\n12.1-3:1\n"), "12");
  EXPECT_EQ(grid_engine_id("Your job 12 has been submitted\n"), "");
}

constexpr std::string_view kList = R"(<?xml version='1.0'?>
<job_info  xmlns:xsd="http://example.org/qstat.xsd">
  <queue_info>
    <job_list state="running">
      <JB_job_number>12</JB_job_number>
      <JB_name>long.sh</JB_name>
      <state>r</state>
      <JAT_start_time>2026-11-23T23:26:48</JAT_start_time>
      <queue_name>test.q@node2</queue_name>
      <slots>1</slots>
    </job_list>
  </queue_info>
  <job_info>
    <job_list state="pending">
      <JB_job_number>10</JB_job_number>
      <state>qw</state>
      <queue_name></queue_name>
    </job_list>
    <job_list state="pending">
      <JB_job_number>11</JB_job_number>
      <state>Eqw</state>
      <JB_submission_time>1795476011</JB_submission_time>
      <queue_name></queue_name>
    </job_list>
    <job_list state="pending">
      <JB_job_number>9</JB_job_number>
      <state>hqw</state>
      <JB_submission_time>2026-11-23T23:20:11</JB_submission_time>
      <queue_name></queue_name>
    </job_list>
    <job_list state="zombie">
      <JB_job_number>1</JB_job_number>
      <state>z</state>
      <queue_name></queue_name>
    </job_list>
  </job_info>
</job_info>
)";

TEST(GridEngineList, TellsWhereEachJobIs) {
  const auto all = grid_engine_listed(kList);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0], (Sight{.id = "12", .stage = Stage::running, .state = "r", .hosts = "node2"}));
  EXPECT_EQ(all[1], (Sight{.id = "10", .stage = Stage::waiting, .state = "qw"}));
  EXPECT_EQ(all[2].reason, "an error (Eqw); qstat -j 11 tells it, and qmod -cj 11 tries again");
  EXPECT_EQ(all[2].queued, "") << "seconds since 1970 are no words";
  EXPECT_EQ(all[3].reason, "held (hqw)");
  EXPECT_EQ(all[3].queued, "2026-11-23 23:20");
  EXPECT_EQ(all[4], (Sight{.id = "1", .stage = Stage::over, .how = How::cancelled, .state = "z"}));
}

TEST(GridEngineList, OfAnotherFormIsEmpty) {
  EXPECT_TRUE(grid_engine_listed("").empty());
  EXPECT_TRUE(grid_engine_listed("<job_list <job_list state").empty());
  EXPECT_TRUE(
      grid_engine_listed("<job_list x><JB_job_number>a</JB_job_number></job_list>").empty());
}

std::string account(const std::string& job, const std::string& failed, const std::string& exit) {
  return "==============================================================\n"
         "qname        test.q              \n"
         "hostname     node2               \n"
         "jobnumber    " +
         job +
         "                   \n"
         "start_time   Wed Nov 25 17:08:42 2026\n"
         "end_time     Wed Nov 25 17:08:45 2026\n"
         "failed       " +
         failed +
         "\n"
         "exit_status  " +
         exit +
         "\n"
         "ru_wallclock 3s\n";
}

TEST(GridEngineAccounts, TellHowJobsHaveEnded) {
  const auto all =
      grid_engine_past(account("1", "100 : assumedly after job", "137       (Killed)") +
                       account("2", "0    ", "7                   ") +
                       account("3", "37  : qmaster enforced h_rt, h_cpu, or h_vmem limit",
                               "137                  (Killed)") +
                       account("4", "26  : opening input/output file", "0"));
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].how, How::cancelled);
  EXPECT_EQ(all[0].code, 137);
  constexpr std::chrono::sys_days kDay{std::chrono::November / 25 / 2026};
  EXPECT_EQ(all[0].ended, kDay + std::chrono::hours(17) + std::chrono::seconds(525));
  EXPECT_EQ(all[0].began, kDay + std::chrono::hours(17) + std::chrono::seconds(522));
  EXPECT_EQ(all[1].how, How::exited);
  EXPECT_EQ(all[1].code, 7);
  EXPECT_EQ(all[1].hosts, "node2");
  EXPECT_EQ(all[2].how, How::timed_out);
  EXPECT_EQ(all[3].how, How::other);
  EXPECT_EQ(all[3].state, "failed 26  : opening input/output file");
}

TEST(GridEngineAccounts, OfAJobThatRanTwiceAreItsLast) {
  const auto all = grid_engine_past(account("1", "0", "99") + account("1", "0", "0"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].code, 0);
  EXPECT_TRUE(grid_engine_past("error: job id 99 not found\n").empty());
}

TEST(GridEngineJobs, MayBeQueuedAgainByTheirCodeOrTheirScript) {
  EXPECT_TRUE(kGridEngine.may_queue_again("#!/bin/sh\n", 99));
  EXPECT_FALSE(kGridEngine.may_queue_again("#!/bin/sh\n#$ -V\n", 143));
  EXPECT_TRUE(kGridEngine.may_queue_again("#!/bin/sh\n#$ -r y\n", 143));
}

TEST(GridEngineRefusals, AreItsOwnWordsAndWhatToDo) {
  const Refusal queue = grid_engine_refused(
      "Unable to run job: Job was rejected because job requests unknown queue "
      "\"nope\"\nExiting.\n");
  EXPECT_EQ(queue.error.what, "Grid Engine refuses: job requests unknown queue \"nope\"");
  EXPECT_EQ(queue.names, (Words{"qconf", "-sql"}));
  const Refusal pe = grid_engine_refused(
      "Unable to run job: job rejected: the requested parallel environment \"nope\" does not "
      "exist\nExiting.\n");
  EXPECT_EQ(pe.names, (Words{"qconf", "-spl"}));
  EXPECT_FALSE(pe.is_unknown_job);
  const Refusal slots = grid_engine_refused(
      "Unable to run job: Job 7 cannot run in PE \"mpi\" because it only offers 16 slots\n"
      "verification: no suitable queues\nExiting.\n");
  EXPECT_NE(slots.error.hint.find("too few slots"), std::string::npos);
  EXPECT_TRUE(grid_engine_refused("denied: job \"99\" does not exist\n").is_unknown_job);
  EXPECT_EQ(grid_engine_refused("").error.what, "Grid Engine refuses: it does not say why");
}

}  // namespace
}  // namespace muster::batch::grid_engine_answers_test
