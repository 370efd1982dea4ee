// NUMA nodes in a made-up /sys and /proc.
#include "probe/numa.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "unit/folder.hpp"

namespace muster::probe {
namespace {

namespace fs = std::filesystem;
using model::CpuSet;
using model::NumaNode;

class NumaIn : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    const fs::path at = fs::path(folder_.path()) / path;
    fs::create_directories(at.parent_path());
    std::ofstream(at) << text;
  }
  void node(const std::string& number, const std::string& cpus) {
    file("sys/devices/system/node/node" + number + "/cpulist", cpus);
  }
  [[nodiscard]] std::vector<NumaNode> found() const { return numa_nodes(folder_.path()); }

  unit::Folder folder_;
};

TEST_F(NumaIn, each_node_that_has_memory_with_its_cpus) {
  file("sys/devices/system/node/has_memory", "0-1,4\n");
  node("0", "0-3,8-11\n");
  node("1", "4-7,12-15\n");
  node("3", "16-19\n");
  node("4", "\n");
  EXPECT_EQ(found(), (std::vector<NumaNode>{{0, CpuSet::range(0, 3) | CpuSet::range(8, 11)},
                                            {1, CpuSet::range(4, 7) | CpuSet::range(12, 15)},
                                            {4, CpuSet()}}));
}

TEST_F(NumaIn, of_these_what_the_cgroup_allows) {
  file("sys/devices/system/node/has_memory", "0-1\n");
  file("proc/self/status", "Name:\tx\nMems_allowed:\t2\nMems_allowed_list:\t1\nThreads:\t1\n");
  node("1", "4\n");
  EXPECT_EQ(found(), (std::vector<NumaNode>{{1, CpuSet::of(4)}}));
}

TEST_F(NumaIn, nodes_with_cpus_need_no_memory_that_is_allowed) {
  file("sys/devices/system/node/online", "0-3\n");
  file("sys/devices/system/node/has_memory", "0,2-3\n");
  file("proc/self/status", "Mems_allowed_list:\t0\n");
  node("0", "0-1\n");
  node("1", "2\n");
  node("2", "3\n");
  node("3", "\n");
  EXPECT_EQ(
      nodes_with_cpus(folder_.path()),
      (std::vector<NumaNode>{{0, CpuSet::range(0, 1)}, {1, CpuSet::of(2)}, {2, CpuSet::of(3)}}));
}

TEST_F(NumaIn, none_where_the_kernel_says_nothing) { EXPECT_TRUE(found().empty()); }

TEST_F(NumaIn, odd_files_are_no_nodes) {
  file("sys/devices/system/node/has_memory", "many\n");
  EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace muster::probe
