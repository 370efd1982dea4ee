// heard_meanwhile and remove_meanwhile: what a signal that is held back ends, and what goes on.
#include "process/heard_meanwhile.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/pipe.hpp"
#include "process/signal_mask.hpp"
#include "unit/folder.hpp"

namespace muster::process {
namespace {

namespace fs = std::filesystem;

class HeardMeanwhile : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void put(const std::string& name) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << name;
  }

  // With what it is called while it goes.
  [[nodiscard]] bool is_left(const std::string& name) const {
    return std::ranges::any_of(fs::directory_iterator(folder_.path()), [&](const auto& entry) {
      return entry.path().filename().string().starts_with(name);
    });
  }

  // What removes it is a child of this process.
  void wait_until_gone(const std::string& name) const {
    while (is_left(name) && ::wait(nullptr) > 0) {
    }
    EXPECT_FALSE(is_left(name));
  }

  unit::Folder folder_;
};

TEST_F(HeardMeanwhile, WhatIsToldComesBack) {
  EXPECT_TRUE(heard_meanwhile([] { return base::Result<void>(); }, Unfinished::is_ended));
  const auto failed = heard_meanwhile(
      [] { return base::fail(base::Fault::bad_file, "a hint", "what"); }, Unfinished::is_ended);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "what");
  EXPECT_EQ(failed.error().hint, "a hint");
}

// It waits for a byte that comes only once nobody waits for it any more.
TEST_F(HeardMeanwhile, ASignalEndsTheWaitingAndNotTheWork) {
  auto go = make_pipe();
  auto done = make_pipe();
  ASSERT_TRUE(go && done);
  const HeldSignals held;
  ::raise(SIGTERM);
  const auto work = [&]() -> base::Result<void> {
    char one = 0;
    (void)!::read(go->read.get(), &one, 1);
    (void)!::write(done->write.get(), "d", 1);
    return {};
  };
  EXPECT_FALSE(heard_meanwhile(work, Unfinished::goes_on));
  EXPECT_EQ(waiting_signal(), SIGTERM);
  ASSERT_EQ(::write(go->write.get(), "g", 1), 1);
  char one = 0;
  EXPECT_EQ(::read(done->read.get(), &one, 1), 1);
  EXPECT_EQ(one, 'd');
  EXPECT_GT(::wait(nullptr), 0);
}

TEST_F(HeardMeanwhile, AllOfAFolderGoes) {
  put("tree/a/b");
  put("tree/c");
  put("stays");
  fs::create_symlink(path("stays"), path("tree/link"));
  fs::permissions(path("tree/a"), fs::perms::none);
  remove_meanwhile(path("tree"));
  EXPECT_FALSE(is_left("tree"));
  EXPECT_TRUE(fs::exists(path("stays")));
  remove_meanwhile(path("stays"));
  EXPECT_FALSE(fs::exists(path("stays")));
  remove_meanwhile(path("nothing"));
}

TEST_F(HeardMeanwhile, WhoIsEndingWaitsForNothing) {
  put("tree/a/b");
  remove_unwaited(path("tree"));
  EXPECT_GT(::wait(nullptr), 0) << "there is still a process to wait for";
  wait_until_gone("tree");
}

TEST_F(HeardMeanwhile, TheNameIsFreeWhileTheOldOneGoes) {
  put("tree/a/b");
  remove_unwaited(path("tree"));
  EXPECT_FALSE(fs::exists(path("tree")));
  put("tree/new");
  EXPECT_GT(::wait(nullptr), 0);
  wait_until_gone("tree.gone-");
  EXPECT_TRUE(fs::exists(path("tree/new")));
}

// No process can be started without a pipe to it.
TEST_F(HeardMeanwhile, NothingIsClosedWhereThereIsNoRoomForAProcess) {
  put("tree/a");
  auto ours = make_pipe();
  ASSERT_TRUE(ours);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  remove_meanwhile(path("tree"));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(::write(ours->write.get(), "x", 1), 1);
}

TEST_F(HeardMeanwhile, ASignalDoesNotEndWhatRemoves) {
  put("tree/a/b");
  const HeldSignals held;
  ::raise(SIGTERM);
  remove_meanwhile(path("tree"));
  wait_until_gone("tree");
}

}  // namespace
}  // namespace muster::process
