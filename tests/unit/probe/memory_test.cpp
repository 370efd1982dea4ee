// Counters of made-up control groups.
#include "probe/memory.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace muster::probe {
namespace {

// A folder that stands for /sys/fs/cgroup.
class Memory : public testing::Test {
 protected:
  Memory() {
    std::string name = testing::TempDir() + "cgroup-XXXXXX";
    mounts_ = ::mkdtemp(name.data());
  }
  ~Memory() override { std::filesystem::remove_all(mounts_); }

  [[nodiscard]] std::string path(const std::string& file) const { return mounts_ + "/" + file; }
  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(file)).parent_path());
    std::ofstream(path(file)) << text;
  }
  [[nodiscard]] model::MemoryCounters counters(std::string_view membership) const {
    return memory_counters(membership, mounts_, path("vmstat"));
  }

 private:
  std::string mounts_;
};

constexpr const char* kEvents = "low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 0\n";

TEST_F(Memory, OfVersionTwoIsReadUpwards) {
  write("slurm/memory.events", kEvents);
  write("slurm/job/memory.events", "low 0\nhigh 0\nmax 0\noom 1\noom_kill 1\n");
  const model::MemoryCounters read = counters("0::/slurm/job\n");
  ASSERT_EQ(read.groups.size(), 2u);
  EXPECT_EQ(read.groups[0], (model::MemoryCounters::Group{path("slurm/job"), 1, 1}));
  EXPECT_EQ(read.groups[1], (model::MemoryCounters::Group{path("slurm"), 3, 2}));
  EXPECT_FALSE(read.killed);
}

TEST_F(Memory, OfAContainerIsThatOfTheMount) {
  write("memory.events", kEvents);
  const model::MemoryCounters read = counters("0::/docker/0123\n");
  ASSERT_EQ(read.groups.size(), 1u);
  EXPECT_EQ(read.groups[0].hits, 3u);
}

TEST_F(Memory, OfVersionOneIsRead) {
  write("memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  write("memory/job/memory.failcnt", "17\n");
  const model::MemoryCounters read = counters("5:cpuset:/x\n4:memory:/job\n0::/\n");
  ASSERT_EQ(read.groups.size(), 1u);
  EXPECT_EQ(read.groups[0], (model::MemoryCounters::Group{path("memory/job"), 17, 4}));
}

TEST_F(Memory, OfTheMachineIsReadWhereNoGroupCounts) {
  write("vmstat", "nr_free_pages 12\noom_kill 9\noom_kill_other 1\n");
  EXPECT_EQ(counters("0::/\n").killed, 9u);
  write("vmstat", "nr_free_pages 12\n");
  EXPECT_EQ(counters("").killed, std::nullopt);
}

TEST_F(Memory, LimitIsThatOfEitherVersion) {
  write("a/memory.max", "536870912\n");
  write("b/memory.max", "max\n");
  write("c/memory.limit_in_bytes", "1048576\n");
  write("d/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limit(path("a")), 536870912u);
  EXPECT_EQ(memory_limit(path("b")), 0u);
  EXPECT_EQ(memory_limit(path("c")), 1048576u);
  EXPECT_EQ(memory_limit(path("d")), 0u);
  EXPECT_EQ(memory_limit(path("nowhere")), 0u);
}

TEST(SharedMemory, IsThatOfAFileSystemOfItsOwn) {
  EXPECT_FALSE(shared_memory("/usr/bin"));
  EXPECT_FALSE(shared_memory("/no/such/folder"));
  const auto proc = shared_memory("/proc");
  ASSERT_TRUE(proc);
  EXPECT_EQ(proc->size, 0u);
}

}  // namespace
}  // namespace muster::probe
