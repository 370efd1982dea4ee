// The time at which a job is ended, as its ranks are told it.
#include <gtest/gtest.h>

#include "plan/environment.hpp"

namespace muster::plan {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

TEST(Deadline, IsTheTimeLimitInWholeSecondsSinceTheEpoch) {
  EXPECT_EQ(deadline(1'000'000'900ms, 60s, Words{}), 1'000'060);
  EXPECT_EQ(deadline(1'000'000'900ms, 60'200ms, Words{}), 1'000'061);
  EXPECT_EQ(deadline(1'000'000'900ms, {}, Words{}), std::nullopt);
}

TEST(Deadline, ThatOfASlurmJobHoldsToo) {
  const Words around = {"SLURM_JOB_END_TIME=1000050", "MUSTER_DEADLINE=1000070"};
  EXPECT_EQ(deadline(1'000'000'000ms, {}, around), 1'000'050);
  EXPECT_EQ(deadline(1'000'000'000ms, 20s, around), 1'000'020);
}

TEST(Deadline, ThatOfARunAroundThisOneHoldsWhereItIsSooner) {
  const Words around = {"MUSTER_DEADLINE=1000030"};
  EXPECT_EQ(deadline(1'000'000'000ms, 60s, around), 1'000'030);
  EXPECT_EQ(deadline(1'000'000'000ms, 20s, around), 1'000'020);
  EXPECT_EQ(deadline(1'000'000'000ms, {}, around), 1'000'030);
  EXPECT_EQ(deadline(1'000'000'000ms, {}, Words{"MUSTER_DEADLINE=soon"}), std::nullopt);
}

// A rank has submitted a batch job, whose shell has the rank's variables.
TEST(Deadline, ThatOfARunThatIsOverDoesNotHold) {
  const Words around = {"MUSTER_DEADLINE=1000030"};
  EXPECT_EQ(deadline(1'000'031'000ms, {}, around), std::nullopt);
  EXPECT_EQ(deadline(1'000'031'000ms, 60s, around), 1'000'091);
}

TEST(StartsBefore, AreCountedBySlurm) {
  const auto count = [](const char* entry) {
    return starts_before(std::vector<std::string>{entry});
  };
  EXPECT_EQ(count("SLURM_RESTART_COUNT=3"), 3U);
  for (const char* entry : {"A=3", "SLURM_RESTART_COUNT=", "SLURM_RESTART_COUNT=-1",
                            "SLURM_RESTART_COUNT=x", "SLURM_RESTART_COUNT=100001"}) {
    EXPECT_EQ(count(entry), 0U) << entry;
  }
}

}  // namespace
}  // namespace muster::plan
