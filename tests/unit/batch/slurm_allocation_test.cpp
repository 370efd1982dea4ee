// What salloc is asked, and what it says.
#include <gtest/gtest.h>

#include "batch/slurm.hpp"

namespace muster::batch::slurm_allocation_test {
namespace {

Wish wish() {
  Wish wish;
  wish.nodes = wish.per_node = 0;
  return wish;
}

TEST(SlurmAllocation, AsksForWhatIsKnownOnly) {
  EXPECT_EQ(kSlurm.allocate(wish(), {"hold", "them"}),
            (Words{"salloc", "--no-kill", "--kill-command=TERM", "hold", "them"}));
}

TEST(SlurmAllocation, TheSizeOfTheJobIsAskedFor) {
  Wish asked = wish();
  asked.nodes = 4;
  asked.per_node = 8;
  asked.tasks = 30;
  asked.name = "train";
  asked.gpus_per_node = 8;
  asked.limit = std::chrono::seconds(61);
  EXPECT_EQ(kSlurm.allocate(asked, {}),
            (Words{"salloc", "--gpus-per-node=8", "--time=4", "--nodes=4", "--ntasks-per-node=8",
                   "--ntasks=30", "--job-name=train", "--no-kill", "--kill-command=TERM"}));
}

TEST(SlurmAllocation, WhatTheUserSaysGoesBefore) {
  Wish asked = wish();
  asked.nodes = 4;
  asked.limit = std::chrono::seconds(60);
  asked.gpus_per_node = 8;
  asked.raw = {{"nodes", "2-4"}, {"time", "1-0"}, {"gres", "gpu:a:2"}, {"exclusive", ""}};
  EXPECT_EQ(kSlurm.allocate(asked, {}),
            (Words{"salloc", "--nodes=2-4", "--time=1-0", "--gres=gpu:a:2", "--exclusive",
                   "--no-kill", "--kill-command=TERM"}));
}

TEST(SlurmAllocation, HasOneName) {
  Wish asked = wish();
  asked.name = "train";
  asked.raw = {{"job-name", "mine"}};
  EXPECT_EQ(kSlurm.allocate(asked, {}),
            (Words{"salloc", "--job-name=mine", "--no-kill", "--kill-command=TERM"}));
}

TEST(SlurmAllocation, TellsItsJob) {
  EXPECT_EQ(kSlurm.allocating(""), AllocationNews());
  EXPECT_EQ(kSlurm.allocating("salloc: Pending job allocation 65\nsalloc: job 65 queued and "
                              "waiting for resources\n"),
            (AllocationNews{"65", ""}));
  EXPECT_EQ(kSlurm.allocating("salloc: Granted job allocation 66\n"), (AllocationNews{"66", ""}));
  EXPECT_EQ(kSlurm.allocating("salloc: Job 64 of yours is there already\n"), AllocationNews());
}

TEST(SlurmAllocation, TellsWhyTheHostsAreGone) {
  EXPECT_EQ(kSlurm.allocating("salloc: Job allocation 7 has been revoked.\n"),
            (AllocationNews{"", "Slurm job 7 was ended"}));
  EXPECT_EQ(kSlurm.allocating("salloc: Job 7 has exceeded its time limit and its allocation has "
                              "been revoked.\nsalloc: Job allocation 7 has been revoked.\n"),
            (AllocationNews{"", "Slurm job 7 has reached its time limit"}));
}

TEST(SlurmAllocation, ARefusalIsInSlurmsOwnWords) {
  const Refusal refusal = kSlurm.refused(
      "salloc: error: invalid partition specified: absent\n"
      "salloc: error: Job submit/allocate failed: Invalid partition name specified\n");
  EXPECT_EQ(refusal.error.what,
            "Slurm refuses: invalid partition specified: absent; Invalid partition name specified");
}

}  // namespace
}  // namespace muster::batch::slurm_allocation_test
