// A job is handed over to programs that stand for sbatch.
#include "queue/commands.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "batch/slurm.hpp"
#include "process/signal_mask.hpp"
#include "unit/folder.hpp"

namespace muster::queue {
namespace {

using base::Result;

const std::string kScript = "#!/bin/sh\nexec muster\n";

class HandOver : public testing::Test {
 protected:
  void sbatch(const std::string& text) const {
    folder_.file("sbatch", "#!/bin/sh\ncd " + folder_.path() + "\n" + text, true);
  }

  [[nodiscard]] Answered<std::string> submit(const std::function<Result<void>()>& ready) {
    const Commands commands(batch::kSlurm, {"PATH=" + folder_.path() + ":/usr/bin:/bin"});
    return commands.submit(kScript,
                           {ready, [this](const std::string& id) { taken_.push_back(id); }});
  }

  const unit::Folder folder_;
  std::vector<std::string> taken_;
};

Result<void> well() { return {}; }

TEST_F(HandOver, ItGetsTheScriptOnceAllIsReady) {
  sbatch(": > begun; cat > script; echo '42;cluster'");
  const auto id = submit([this]() -> Result<void> {
    EXPECT_TRUE(folder_.comes("begun"));
    EXPECT_EQ(folder_.read("script"), "");
    return {};
  });
  ASSERT_TRUE(id) << id.error().error.what;
  EXPECT_EQ(*id, "42");
  EXPECT_EQ(taken_, std::vector<std::string>{"42"});
  EXPECT_EQ(folder_.read("script"), kScript);
}

TEST_F(HandOver, ItGetsNothingAndIsGoneWhenNothingIsReady) {
  sbatch("echo $$ > pid; cat > script; : > read");
  const auto id = submit([this]() -> Result<void> {
    EXPECT_TRUE(folder_.comes("script"));
    return base::fail(base::Fault::output, "", "no room");
  });
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().error.what, "no room");
  EXPECT_TRUE(taken_.empty());
  EXPECT_FALSE(folder_.has("read"));
  EXPECT_EQ(::kill(std::stoi(folder_.read("pid")), 0), -1);
}

// Then it reads an empty script, which a system refuses.
TEST_F(HandOver, ItGetsNothingWhenItsCallerIsKilledBeforeAllIsReady) {
  sbatch("cat > script; : > read");
  EXPECT_EXIT((void)submit([]() -> Result<void> {
                ::raise(SIGKILL);
                return {};
              }),
              testing::KilledBySignal(SIGKILL), "");
  EXPECT_TRUE(folder_.comes("read"));
  EXPECT_EQ(folder_.read("script"), "");
}

TEST_F(HandOver, AnIdIsHeardBeforeTheEndAndCountsWhateverFollows) {
  sbatch("cat > script; printf 4; printf '2\\n'; cat heard; echo late >&2; exit 1");
  ASSERT_EQ(::mkfifo((folder_.path() + "/heard").c_str(), 0600), 0);
  const Commands commands(batch::kSlurm, {"PATH=" + folder_.path() + ":/usr/bin:/bin"});
  const auto id = commands.submit(
      kScript, {well, [this](const std::string&) { folder_.file("heard", "", false); }});
  ASSERT_TRUE(id) << id.error().error.what;
  EXPECT_EQ(*id, "42");
}

TEST_F(HandOver, AnIdNeedsNoLineEnd) {
  sbatch("cat > script; printf 42");
  const auto id = submit(well);
  ASSERT_TRUE(id);
  EXPECT_EQ(taken_, std::vector<std::string>{"42"});
}

TEST_F(HandOver, WhatIsRefusedIsToldInItsWords) {
  sbatch("cat > script; echo 'sbatch: error: Batch job submission failed: no' >&2; exit 1");
  const auto id = submit(well);
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().error.fault, base::Fault::cannot_start);
  EXPECT_NE(id.error().error.what.find("no"), std::string::npos) << id.error().error.what;
  EXPECT_TRUE(taken_.empty());
}

TEST_F(HandOver, NothingIsMadeReadyForAProgramThatIsNotThere) {
  bool asked = false;
  const Commands commands(batch::kSlurm, {"PATH=" + folder_.path()});
  const auto id = commands.submit(kScript, {[&]() -> Result<void> {
                                              asked = true;
                                              return {};
                                            },
                                            [](const std::string&) {}});
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().error.what, "there is no sbatch here");
  EXPECT_FALSE(asked);
}

class Asked : public testing::Test {
 protected:
  void program(const std::string& name, const std::string& text) const {
    folder_.file(name, "#!/bin/sh\n" + text, true);
  }

  const unit::Folder folder_;
  const Commands commands_{batch::kSlurm, {"PATH=" + folder_.path() + ":/usr/bin:/bin"}};
  const process::HeldSignals held_;
};

TEST_F(Asked, AreGivenUpWithASignalThatComes) {
  program("squeue", "kill -INT $PPID; exec sleep 3600");
  const auto sights = commands_.look({"42"});
  ASSERT_FALSE(sights);
  EXPECT_EQ(sights.error().error.what, "given up before squeue had answered");
}

TEST_F(Asked, WithoutTheAccountsNoJobIsTakenForGone) {
  program("squeue", "exit 0");
  program("sacct", "kill -INT $PPID; exec sleep 3600");
  const auto sights = commands_.look({"42"});
  ASSERT_FALSE(sights);
  EXPECT_EQ(sights.error().error.what, "given up before sacct had answered");
}

TEST_F(Asked, AreGivenUpWhereASignalWaits) {
  program("squeue", "exec sleep 3600");
  ASSERT_EQ(::raise(SIGINT), 0);
  EXPECT_FALSE(commands_.look({"42"}));
}

TEST_F(Asked, CancelWhateverSignalComes) {
  program("scancel", "kill -INT $PPID; sleep 0.1; kill -TERM $PPID; sleep 0.1");
  EXPECT_TRUE(commands_.cancel("42"));
  EXPECT_NE(process::waiting_signal(), 0);
}

}  // namespace
}  // namespace muster::queue
