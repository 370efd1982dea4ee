// GPUs as Slurm 22.05 tells them.
#include "spec/slurm_devices.hpp"

#include <gtest/gtest.h>

namespace muster::spec {
namespace {

using Devices = std::vector<std::uint32_t>;

constexpr const char* kJob =
    "JobId=7 JobName=sh\n"
    "   NodeList=node[1-3]\n"
    "   JOB_GRES=gpu:5\n"
    "     Nodes=node[1-2] CPU_IDs=0 Mem=1000 GRES=gpu:2(IDX:0-1)\n"
    "     Nodes=node3 CPU_IDs=0 Mem=1000 GRES=mps:100(IDX:),gpu:a100:3(IDX:0,2-3),gpu:t4:1(IDX:4)\n"
    "     Nodes=node4 CPU_IDs=0 Mem=1000 GRES=\n";

TEST(SlurmDevices, AreThoseOfEachNode) {
  EXPECT_EQ(slurm_devices(kJob, {"node3", "node1"}), (Devices{4, 2}));
}

TEST(SlurmDevices, AreToldOfAllNodesOrOfNone) {
  EXPECT_EQ(slurm_devices(kJob, {"node1", "node4"}), std::nullopt);
  EXPECT_EQ(slurm_devices("", {"node1"}), std::nullopt);
  EXPECT_EQ(slurm_devices(" Nodes=node1 GRES=gpu:x(IDX:0)\n", {"node1"}), std::nullopt);
  EXPECT_EQ(slurm_devices(" Nodes=node[ GRES=gpu:1\n", {"node1"}), std::nullopt);
}

}  // namespace
}  // namespace muster::spec
