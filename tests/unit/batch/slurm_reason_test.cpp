// Why jobs wait, for people who never heard of Slurm's reasons.
#include "batch/slurm_reason.hpp"

#include <gtest/gtest.h>

namespace muster::batch::slurm_reason_test {
namespace {

TEST(SlurmReason, IsEnoughWhereThereIsNothingToDo) {
  for (const char* passes : {"", "Resources", "Priority", "Dependency", "BeginTime", "Licenses",
                             "Reservation", "Prolog", "JobArrayTaskLimit"}) {
    EXPECT_EQ(slurm_reason(passes, "12"), passes);
  }
}

TEST(SlurmReason, IsExplainedWhereSomebodyHasToDoSomething) {
  EXPECT_EQ(slurm_reason("JobHeldUser", "12"),
            "JobHeldUser: held; scontrol release 12 lets it start");
  EXPECT_EQ(slurm_reason("launch failed requeued held", "12"),
            "launch failed requeued held: a node could not start it; scontrol release 12 tries "
            "again, scancel 12 takes it away");
  EXPECT_EQ(slurm_reason("ReqNodeNotAvail, UnavailableNodes:node1", "12"),
            "ReqNodeNotAvail, UnavailableNodes:node1: a node that it must have is down, drained or "
            "reserved; sinfo -R tells why");
  for (const char* stays :
       {"PartitionConfig", "PartitionNodeLimit", "PartitionTimeLimit", "PartitionDown",
        "PartitionInactive", "BadConstraints", "JobHeldAdmin", "DependencyNeverSatisfied",
        "JobLaunchFailure", "InvalidAccount", "InvalidQOS", "ReservationDeleted"}) {
    const std::string words = slurm_reason(stays, "12");
    EXPECT_TRUE(words.starts_with(std::string(stays) + ": ")) << words;
  }
}

TEST(SlurmReason, TellsALimitOfOneJobFromOneThatOthersMakeRoomFor) {
  const auto has = [](const char* reason, std::string_view part) {
    return slurm_reason(reason, "12").find(part) != std::string::npos;
  };
  EXPECT_TRUE(has("QOSMaxCpuPerJobLimit", "one job"));
  EXPECT_TRUE(has("AssocMaxNodePerJobLimit", "one job"));
  EXPECT_TRUE(has("QOSMaxJobsPerUserLimit", "at the limit"));
  EXPECT_TRUE(has("QOSGrpNodeLimit", "at its limit"));
  EXPECT_TRUE(has("AssocGrpCpuLimit", "a limit of the site"));
  EXPECT_TRUE(has("MaxCpuPerAccount", "quality of service"));
}

}  // namespace
}  // namespace muster::batch::slurm_reason_test
