// What is known of a run in a queue, from a program that stands for squeue.
#include "cli/queued.hpp"

#include <csignal>
#include <gtest/gtest.h>

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
  folder.file("sacct", "#!/bin/sh\nexit 1\n", true);
  folder.file("events.jsonl", "{\"time\":\"2026-11-25T17:00:00.000Z\",\"event\":\"created\"}\n",
              false);
  model::RunRecord record;
  record.folder = folder.path();
  record.scheduler = {"slurm", "cluster", "", "", "42"};
  record.state = model::RunState::queued;
  Invocation invocation;
  invocation.environment = {"PATH=" + folder.path() + ":/usr/bin:/bin"};
  const process::HeldSignals held;
  ASSERT_EQ(::raise(SIGINT), 0);
  EXPECT_TRUE(queued_now(record, invocation).is_live());
  process::drop_waiting_signals();
  EXPECT_FALSE(queued_now(record, invocation).is_live());
}

}  // namespace
}  // namespace muster::cli::queued_test
