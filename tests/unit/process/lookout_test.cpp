// A child that looks for something, and interrupts its parent.
#include "process/lookout.hpp"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/folder.hpp"

namespace muster::process::lookout_test {
namespace {

// In a process of its own, which has to be ended by the signal.
TEST(Lookout, InterruptsItsParentOnceItSeesWhatItLooksFor) {
  const unit::Folder folder;
  const std::string path = folder.path() + "/seen";
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    std::signal(SIGINT, SIG_DFL);
    const auto sees = [path] { return ::access(path.c_str(), F_OK) == 0; };
    if (!interrupt_when(sees, base::Duration(1))) ::_exit(EXIT_FAILURE);
    ::kill(::getpid(), SIGSTOP);  // one that is suspended hears of it, too
    for (;;) ::pause();
  }
  int status = 0;
  ASSERT_EQ(::waitpid(parent, &status, WUNTRACED), parent);
  ASSERT_TRUE(WIFSTOPPED(status));
  folder.file("seen", "", false);
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
}

}  // namespace
}  // namespace muster::process::lookout_test
