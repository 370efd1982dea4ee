// What a guard, or its warden, runs when all else has ended.
#include <csignal>
#include <filesystem>
#include <memory>

#include "unit/folder.hpp"
#include "unit/process/guard_fixture.hpp"

namespace muster::process::test {
namespace {

namespace fs = std::filesystem;

class Epilogue : public GuardTest {
 protected:
  void SetUp() override {
    auto process = fork_guard({"/bin/sh", "-c", "echo $$ >> " + mark()});
    ASSERT_TRUE(process.has_value());
    warden_pid_ = process->warden;
    guard_pid_ = child_of(warden_pid_);
    guard_ = std::make_unique<Guard>(loop_, std::move(*process), events());
    guard_->set_grace(base::Duration(200));
  }

  [[nodiscard]] std::string mark() const { return folder_.path() + "/mark"; }
  [[nodiscard]] bool has_run() const { return fs::exists(mark()); }

  unit::Folder folder_;
};

TEST_F(Epilogue, RunsWhenTheOwnerHasGone) {
  guard_->spawn(shell(1, "exec sleep 1000"));
  ASSERT_TRUE(run_until([this] { return told_.spawned.contains(1); }));
  const UniqueFd task = watch(told_.spawned.at(1).pid);
  EXPECT_FALSE(has_run());
  guard_.reset();  // waits for the guard, and so for this
  EXPECT_TRUE(has_run());
  EXPECT_TRUE(has_ended(task, std::chrono::milliseconds(0)));
}

TEST_F(Epilogue, IsRunByTheWardenOfAGuardThatWasKilled) {
  guard_->spawn(shell(1, "exec sleep 1000"));
  ASSERT_TRUE(run_until([this] { return told_.spawned.contains(1); }));
  ::kill(guard_pid_, SIGKILL);
  ASSERT_TRUE(run_until([this] { return told_.lost.has_value(); }));
  EXPECT_TRUE(has_run());
}

TEST_F(Epilogue, IsSkippedWhenThereIsNothingToDo) {
  guard_->skip_epilogue();
  guard_.reset();
  EXPECT_FALSE(has_run());
}

}  // namespace
}  // namespace muster::process::test
