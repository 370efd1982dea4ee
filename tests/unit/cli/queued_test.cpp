// What is known of a run in a queue, from a program that stands for squeue.
#include "cli/queued.hpp"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/signal_mask.hpp"
#include "unit/folder.hpp"

namespace muster::cli::queued_test {
namespace {

model::RunRecord job_42(const unit::Folder& folder) {
  model::RunRecord record;
  record.run = "kufari";
  record.folder = folder.path();
  record.scheduler = {"slurm", "cluster", "", "", "42"};
  record.state = model::RunState::queued;
  return record;
}

Invocation asks_programs_of(const unit::Folder& folder) {
  Invocation invocation;
  invocation.environment = {"PATH=" + folder.path() + ":/usr/bin:/bin"};
  return invocation;
}

TEST(QueuedNow, ARunWhoseHeadMayStillTellItsEndIsLeftToOthersOnceASignalWaits) {
  const unit::Folder folder;
  folder.file("squeue",
              "#!/bin/sh\necho '42|COMPLETED|None|2026-11-25T17:00:00+0000|node1|node1|"
              "2026-11-25T18:00:00+0000'\n",
              true);
  folder.file("sacct", "#!/bin/sh\ntouch " + folder.path() + "/asked\nexit 1\n", true);
  folder.file("events.jsonl", "{\"time\":\"2026-11-25T17:00:00.000Z\",\"event\":\"created\"}\n",
              false);
  const model::RunRecord record = job_42(folder);
  const Invocation invocation = asks_programs_of(folder);
  const process::HeldSignals held;
  const pid_t child = ::fork();
  if (child == 0) {
    while (!folder.has("asked")) ::usleep(1000);
    ::_exit(::kill(::getppid(), SIGINT));
  }
  EXPECT_TRUE(queued_now(record, invocation).is_live());
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  process::drop_waiting_signals();
  EXPECT_FALSE(queued_now(record, invocation).is_live());
}

TEST(FollowQueued, ASignalWhileTheFirstOneIsObeyedIsNoPromiseThatTheRunEnds) {
  const unit::Folder folder;
  folder.file("squeue",
              "#!/bin/sh\ncd " + folder.path() +
                  "\nkill -INT $PPID\nif test -f asked; then exec sleep 3600; fi\ntouch asked\n"
                  "echo '42|RUNNING|None|2026-11-25T17:00:00+0000|node1|node1|N/A'\n",
              true);
  const model::RunRecord record = job_42(folder);
  const Invocation invocation = asks_programs_of(folder);
  testing::internal::CaptureStderr();
  EXPECT_EQ(follow_queued(record, invocation), 130);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("given up before squeue had answered"), std::string::npos) << said;
  EXPECT_NE(said.find("kufari goes on; muster logs -f kufari"), std::string::npos) << said;
}

// A pipe that nobody reads, as of a pager that shows its first page.
TEST(FollowQueued, ASignalIsHeardWhileNobodyReadsTheOutput) {
  const unit::Folder folder;
  folder.file("squeue",
              "#!/bin/sh\n"
              "echo '42|RUNNING|None|2026-11-25T17:00:00+0000|node1|node1|N/A'\n",
              true);
  folder.file("scancel", "#!/bin/sh\necho \"$@\" > " + folder.path() + "/cancelled\n", true);
  folder.file("job.out", std::string(std::size_t{1} << 20, 'x'), false);
  const model::RunRecord record = job_42(folder);
  const Invocation invocation = asks_programs_of(folder);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // where it is deaf
    ::dup2(pipe[1], STDOUT_FILENO);
    ::_exit(follow_queued(record, invocation));
  }
  const int room = ::fcntl(pipe[1], F_GETPIPE_SZ);
  for (int held = 0; held < room && ::waitpid(child, nullptr, WNOHANG) == 0; ::usleep(1000)) {
    ASSERT_EQ(::ioctl(pipe[0], FIONREAD, &held), 0);
  }
  ASSERT_EQ(::kill(child, SIGINT), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(folder.read("cancelled"), "42\n");
}

}  // namespace
}  // namespace muster::cli::queued_test
