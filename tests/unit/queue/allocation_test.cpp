// Hosts are asked for with programs that stand for salloc, squeue and scancel.
#include "queue/allocation.hpp"

#include <gtest/gtest.h>

#include "batch/slurm.hpp"
#include "process/signal_mask.hpp"
#include "unit/folder.hpp"

namespace muster::queue::allocation_test {
namespace {

class Allocated : public testing::Test {
 protected:
  void program(const std::string& name, const std::string& text) const {
    folder_.file(name, "#!/bin/sh\ncd " + folder_.path() + "\n" + text, true);
  }

  [[nodiscard]] Allocation::Waited wait() const {
    return Allocation::wait_for(commands_, {}, {"hold"},
                                {[](const std::string&) {}, [] { return true; }});
  }

  [[nodiscard]] NoHosts why() const {
    const auto given = wait();
    return given ? NoHosts{} : given.error();
  }

  const unit::Folder folder_;
  const Commands commands_{batch::kSlurm, {"PATH=" + folder_.path() + ":/usr/bin:/bin"}};
};

TEST_F(Allocated, AJobThatItsProgramLeavesBehindIsCancelled) {
  program("salloc", "echo 'salloc: Granted job allocation 42' >&2");
  program("squeue", "echo '42|RUNNING|None|2026-11-25T17:00:00+0000|node1|node1|N/A'");
  program("scancel", "echo \"$@\" > cancelled");
  const NoHosts none = why();
  EXPECT_EQ(folder_.read("cancelled"), "42\n");
  EXPECT_EQ(none.error.what, "Slurm refuses: it does not say why");
  EXPECT_EQ(none.error.hint, "Slurm job 42 was there already, and is cancelled");
  EXPECT_EQ(none.code, std::nullopt);
}

TEST_F(Allocated, AJobThatMayBeThereIsCancelledWhereASignalEndsTheLook) {
  program("salloc", "echo 'salloc: Granted job allocation 42' >&2");
  program("squeue", "kill -INT $PPID; exec sleep 3600");
  program("scancel", "echo \"$@\" > cancelled");
  const process::HeldSignals held;
  const NoHosts none = why();
  EXPECT_EQ(folder_.read("cancelled"), "42\n");
  EXPECT_EQ(none.error.hint, "Slurm job 42 was there already, and is cancelled");
}

TEST_F(Allocated, AJobWhoseProgramIsKilledLaterIsCancelledAtTheEnd) {
  program("salloc", "echo 'salloc: Granted job allocation 42' >&2; printf 'A=1\\0\\0'; kill -9 $$");
  program("scancel", "echo \"$@\" > cancelled");
  {
    const auto given = wait();
    ASSERT_TRUE(given) << given.error().error.what;
    EXPECT_EQ((*given)->environment(), std::vector<std::string>{"A=1"});
    EXPECT_FALSE(folder_.has("cancelled"));
  }
  EXPECT_EQ(folder_.read("cancelled"), "42\n");
}

TEST_F(Allocated, OneThatGivesItsHostsBackIsLeftAlone) {
  program("salloc", "echo 'salloc: Granted job allocation 42' >&2; printf 'A=1\\0\\0'; cat");
  program("scancel", "echo \"$@\" > cancelled");
  ASSERT_TRUE(wait());
  EXPECT_FALSE(folder_.has("cancelled"));
}

TEST_F(Allocated, OneThatWasCancelledWhileItWaitedIsNoRefusal) {
  program("salloc",
          "echo 'salloc: Pending job allocation 42\nsalloc: Job has been cancelled\n"
          "salloc: error: Job submit/allocate failed: Job/step already completing or completed' "
          ">&2; exit 1");
  program("squeue", "echo '42|CANCELLED|BeginTime|N/A||n/a|2026-11-25T17:00:00+0000'");
  program("sacct", "exit 1");
  const NoHosts none = why();
  EXPECT_EQ(none.error.what, "Slurm job 42 was cancelled before its run began");
  EXPECT_EQ(none.code, 143);
}

TEST_F(Allocated, OneThatIsRefusedIsToldInSlurmsWords) {
  program("salloc",
          "echo 'salloc: Job allocation 42 has been revoked.\n"
          "salloc: error: CPU count per node can not be satisfied' >&2; exit 1");
  program("squeue", "echo '42|FAILED|BadConstraints|N/A||n/a|2026-11-25T17:00:00+0000'");
  program("sacct", "exit 1");
  const NoHosts none = why();
  EXPECT_EQ(none.error.what, "Slurm refuses: CPU count per node can not be satisfied");
  EXPECT_EQ(none.code, std::nullopt);
}

}  // namespace
}  // namespace muster::queue::allocation_test
