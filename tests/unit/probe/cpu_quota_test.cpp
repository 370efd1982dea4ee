// Cpu quotas of made-up control groups.
#include "probe/cpu_quota.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "probe/probe.hpp"

namespace muster::probe {
namespace {

// A folder that stands for /sys/fs/cgroup.
class CpuQuota : public testing::Test {
 protected:
  CpuQuota() {
    std::string name = testing::TempDir() + "cgroup-XXXXXX";
    mounts_ = ::mkdtemp(name.data());
  }
  ~CpuQuota() override { std::filesystem::remove_all(mounts_); }

  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = mounts_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] std::optional<std::uint32_t> quota(std::string_view membership) const {
    return cpu_quota(membership, mounts_);
  }

 private:
  std::string mounts_;
};

TEST_F(CpuQuota, IsNothingWithoutGroups) {
  EXPECT_EQ(quota(""), std::nullopt);
  EXPECT_EQ(quota("0::/user.slice\n"), std::nullopt);
  EXPECT_EQ(quota("garbage\n:\n::\n0::\n"), std::nullopt);
}

TEST_F(CpuQuota, IsRoundedUp) {
  write("job/cpu.max", "250000 100000\n");
  EXPECT_EQ(quota("0::/job\n"), 3u);
  write("job/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota("0::/job\n"), 2u);
  write("job/cpu.max", "1000 100000\n");
  EXPECT_EQ(quota("0::/job\n"), 1u);
}

TEST_F(CpuQuota, MaxIsNoQuota) {
  write("job/cpu.max", "max 100000\n");
  EXPECT_EQ(quota("0::/job\n"), std::nullopt);
}

TEST_F(CpuQuota, OfAnUpperGroupCounts) {
  write("slurm/cpu.max", "400000 100000\n");
  write("slurm/job/cpu.max", "800000 100000\n");
  write("slurm/job/step/cpu.max", "max 100000\n");
  EXPECT_EQ(quota("0::/slurm/job/step\n"), 4u);
}

TEST_F(CpuQuota, OfTheMountCountsWhenThePathIsTheHosts) {
  write("cpu.max", "100000 100000\n");
  EXPECT_EQ(quota("0::/docker/0123456789\n"), 1u);
  EXPECT_EQ(quota("0::/\n"), 1u);
}

TEST_F(CpuQuota, OfVersionOneIsRead) {
  write("cpu/job/cpu.cfs_quota_us", "150000\n");
  write("cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("5:cpuset:/job\n4:cpu,cpuacct:/job\n"), 2u);
  EXPECT_EQ(quota("4:cpuset:/job\n"), std::nullopt);
  write("cpu/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(quota("4:cpu:/job\n"), std::nullopt);
}

TEST_F(CpuQuota, TheSmallestOfBothVersionsWins) {
  write("cpu/job/cpu.cfs_quota_us", "300000\n");
  write("cpu/job/cpu.cfs_period_us", "100000\n");
  write("job/cpu.max", "500000 100000\n");
  EXPECT_EQ(quota("4:cpu:/job\n0::/job\n"), 3u);
}

}  // namespace
}  // namespace muster::probe
