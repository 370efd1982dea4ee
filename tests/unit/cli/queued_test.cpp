// What is known of a run in a queue, from a program that stands for squeue.
#include "cli/queued.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/signal_mask.hpp"
#include "unit/folder.hpp"

namespace muster::cli::queued_test {
namespace {

TEST(QueuedNow, ARunWhoseHeadMayStillTellItsEndIsLeftToOthersOnceASignalWaits) {
  const unit::Folder folder;
  folder.file("squeue",
              "#!/bin/sh\necho '42|COMPLETED|None|2026-11-25T17:00:00+0000|node1|node1|"
              "2026-11-25T18:00:00+0000'\n",
              true);
  folder.file("sacct", "#!/bin/sh\ntouch " + folder.path() + "/asked\nexit 1\n", true);
  folder.file("events.jsonl", "{\"time\":\"2026-11-25T17:00:00.000Z\",\"event\":\"created\"}\n",
              false);
  model::RunRecord record;
  record.folder = folder.path();
  record.scheduler = {"slurm", "cluster", "", "", "42"};
  record.state = model::RunState::queued;
  Invocation invocation;
  invocation.environment = {"PATH=" + folder.path() + ":/usr/bin:/bin"};
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
  model::RunRecord record;
  record.run = "kufari";
  record.folder = folder.path();
  record.scheduler = {"slurm", "cluster", "", "", "42"};
  record.state = model::RunState::queued;
  Invocation invocation;
  invocation.environment = {"PATH=" + folder.path() + ":/usr/bin:/bin"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(follow_queued(record, invocation), 130);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("given up before squeue had answered"), std::string::npos) << said;
  EXPECT_NE(said.find("kufari goes on; muster logs -f kufari"), std::string::npos) << said;
}

}  // namespace
}  // namespace muster::cli::queued_test
