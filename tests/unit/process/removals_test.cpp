// Removals: what removes is reaped while the loop goes on, and what is left is waited for.
#include "process/removals.hpp"

#include <algorithm>
#include <asio/io_context.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "process/forked.hpp"
#include "process/signal_mask.hpp"
#include "unit/folder.hpp"
#include "unit/nest.hpp"

namespace muster::process {
namespace {

namespace fs = std::filesystem;

class RemovedBeside : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void put(const std::string& name) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << name;
  }
  [[nodiscard]] bool is_empty() const { return fs::is_empty(folder_.path()); }
  // Those of other tests in this program are no concern of these; a zombie is one too.
  static std::set<pid_t> children() {
    std::ifstream list("/proc/thread-self/children");
    return {std::istream_iterator<pid_t>(list), std::istream_iterator<pid_t>()};
  }
  [[nodiscard]] std::set<pid_t> new_children() const {
    std::set<pid_t> made;
    std::ranges::set_difference(children(), before_, std::inserter(made, made.end()));
    return made;
  }
  [[nodiscard]] bool has_new_child() const { return !new_children().empty(); }

  const std::set<pid_t> before_ = children();
  unit::Folder folder_;
  asio::io_context loop_;
};

TEST_F(RemovedBeside, NothingOfWhatRemovesIsLeftWhileTheLoopGoesOn) {
  Removals removals(loop_);
  put("tree/a/b");
  put("other/c");
  removals.remove(path("tree"));
  removals.remove(path("other"));
  removals.remove(path("nothing"));
  EXPECT_FALSE(fs::exists(path("tree")) || fs::exists(path("other")));
  EXPECT_EQ(loop_.run(), 2U) << "one handler for each";
  EXPECT_TRUE(is_empty());
  EXPECT_FALSE(has_new_child());
}

TEST_F(RemovedBeside, WhatIsLeftIsWaitedForAtTheEnd) {
  {
    Removals removals(loop_);
    put("tree/a/b");
    put("other/c");
    removals.remove(path("tree"));
    removals.remove(path("other"));
  }
  EXPECT_TRUE(is_empty());
  EXPECT_FALSE(has_new_child());
  loop_.run();  // nobody hears of them any more
}

// As when a person has pressed Ctrl-C while the head of a run that is over still waits.
TEST_F(RemovedBeside, ASignalThatIsHeldBackEndsTheWaitAndNotTheRemoval) {
  const HeldSignals held;
  std::optional<Removals> removals(std::in_place, loop_);
  fs::create_directory(path("tree"));
  unit::nest(path("tree"), 2'100);
  removals->remove(path("tree"));
  ASSERT_EQ(new_children().size(), 1U);
  const pid_t remover = *new_children().begin();
  ASSERT_EQ(::kill(remover, SIGSTOP), 0);
  std::raise(SIGTERM);
  removals.reset();
  EXPECT_FALSE(is_empty());
  ::kill(remover, SIGCONT);
  EXPECT_EQ(::waitpid(remover, nullptr, 0), remover);
  EXPECT_TRUE(is_empty());
}

TEST_F(RemovedBeside, TheStatusOfAnotherChildIsLeftToItsOwner) {
  const pid_t other = ::fork();
  if (other == 0) ::_exit(7);
  siginfo_t child{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(other), &child, WEXITED | WNOWAIT), 0);
  {
    Removals removals(loop_);
    put("tree/a");
    removals.remove(path("tree"));
    loop_.run();
    put("tree/a");
    removals.remove(path("tree"));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(exit_code_of(status), 7);
}

// As a sweep may, which takes all children that nobody has spared.
TEST_F(RemovedBeside, OneThatAnotherHasReapedIsForgotten) {
  Removals removals(loop_);
  put("tree/a");
  removals.remove(path("tree"));
  EXPECT_GT(::wait(nullptr), 0);
  EXPECT_EQ(loop_.run(), 1U);
  EXPECT_TRUE(is_empty());
}

// As a pipeline's step: it ends otherwise than this program does.
TEST_F(RemovedBeside, WhatGoesBesideIsWaitedForByAForkedProcess) {
  fs::create_directory(path("tree"));
  unit::nest(path("tree"), 5'000);
  auto child = fork_to_run([&] {
    asio::io_context loop;
    Removals removals(loop);
    removals.remove(path("tree"));
    return is_empty() ? 4 : 3;
  });
  ASSERT_TRUE(child);
  int status = 0;
  ASSERT_EQ(::waitpid(child->pid, &status, 0), child->pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) >= 3);
  EXPECT_TRUE(is_empty());
}

}  // namespace
}  // namespace muster::process
