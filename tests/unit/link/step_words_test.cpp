// The words and the environment with which srun starts an agent.
#include <gtest/gtest.h>

#include "link/link.hpp"
#include "model/carriers.hpp"

namespace muster::link {
namespace {

using Words = std::vector<std::string>;

TEST(StepWords, ShareTheHost) {
  model::Host host;
  host.name = "node1";
  EXPECT_EQ(step_words({}, host, "muster", "/usr/bin/muster"),
            (Words{"srun", "--nodes=1", "--ntasks=1", "--nodelist=node1", "--overlap",
                   "--unbuffered", "--input=all", "--mpi=none", "--cpu-bind=none",
                   "--kill-on-bad-exit=1", "--job-name=muster", "/usr/bin/muster", "agent"}));
}

TEST(StepWords, NameTheComponent) {
  model::Host host;
  host.name = "node1";
  host.component = 1;
  model::CarrierSpec carrier;
  carrier.step_words = {"--external-launcher"};
  const Words words = step_words(carrier, host, "muster", "m");
  EXPECT_EQ(words[1], "--het-group=1");
  EXPECT_EQ(words[5], "--external-launcher");
}

TEST(StepEnvironment, IsWithoutWishes) {
  EXPECT_EQ(step_environment({"PATH=/bin", "SLURM_JOB_ID=7", "SLURM_CPUS_PER_TASK=1",
                              "SRUN_CPUS_PER_TASK=1", "SLURM_NTASKS=3", "SLURM_MEM_PER_NODE=9",
                              "SLURM_CONF=/etc/s", "SLURM_JOB_ID_HET_GROUP_1=8", "SSH_CLIENT=x",
                              "SLURM_JOB_NUM_NODES=2", "SLURM_STEP_ID=0"}),
            (Words{"PATH=/bin", "SLURM_JOB_ID=7", "SLURM_CONF=/etc/s", "SLURM_JOB_ID_HET_GROUP_1=8",
                   "MUSTER_STEP=1"}));
}

}  // namespace
}  // namespace muster::link
