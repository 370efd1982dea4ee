// What the kernel tells of a task, in a made-up /proc and of this process.
#include "probe/task_state.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::probe {
namespace {

namespace fs = std::filesystem;

class TaskState : public ::testing::Test {
 protected:
  TaskState() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(::testing::TempDir()) /
            (std::string("task-state-") + test->name() + std::to_string(::getpid()));
  }
  ~TaskState() override { fs::remove_all(root_); }
  TaskState(const TaskState&) = delete;
  TaskState& operator=(const TaskState&) = delete;

  void file(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST_F(TaskState, IsAWordWithThePlaceAndTheThreads) {
  file("proc/7/status", "Name:\tsh\nState:\tS (sleeping)\nThreads:\t1\n");
  file("proc/7/wchan", "do_wait");
  EXPECT_EQ(task_state(root_, 7), "sleeping in do_wait");
  file("proc/8/status", "Name:\tx\nState:\tR (running)\nThreads:\t12\n");
  file("proc/8/wchan", "0");
  EXPECT_EQ(task_state(root_, 8), "running, 12 threads");
  EXPECT_EQ(task_state(root_, 9), "gone");
}

TEST_F(TaskState, GoingIsWhoeverIsNeitherStoppedNorEnded) {
  const std::string states = "RSDITtZX";
  std::string going;
  for (std::size_t i = 0; i < states.size(); ++i) {
    file(fmt::format("proc/{}/status", i), fmt::format("Name:\tsh\nState:\t{} (x)\n", states[i]));
    if (is_going(root_, static_cast<pid_t>(i))) going += states[i];
  }
  EXPECT_EQ(going, "RSDI");
  EXPECT_FALSE(is_going(root_, 100)) << "there is none";
  EXPECT_TRUE(is_going("", ::getpid()));
}

TEST_F(TaskState, OfEachThreadHasItsNameAndWhatTheKernelShows) {
  file("proc/7/task/7/status", "Name:\tpython3\nState:\tD (disk sleep)\n");
  file("proc/7/task/7/stack", "[<0>] nfs_wait\n[<0>] read\n");
  file("proc/7/task/9/status", "Name:\tworker\nState:\tt (tracing stop)\n");
  EXPECT_EQ(thread_states(root_, 7),
            "thread 7 (python3): waiting for the disk or a driver\n  [<0>] nfs_wait\n  [<0>] read\n"
            "thread 9 (worker): held by a debugger\n");
  EXPECT_EQ(thread_states(root_, 8), "");
}

TEST_F(TaskState, OfThisProcessIsRunning) {
  EXPECT_EQ(task_state("", ::getpid()).substr(0, 7), "running");
  EXPECT_NE(thread_states("", ::getpid()).find("thread " + std::to_string(::getpid())),
            std::string::npos);
}

}  // namespace
}  // namespace muster::probe
