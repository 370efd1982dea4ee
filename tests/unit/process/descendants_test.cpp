// Descendants are found and a recycled pid is never hit.
#include "process/descendants.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "unit/process/guard_fixture.hpp"

namespace muster::process::test {
namespace {

// A child that waits until it is killed, under this name.
pid_t start_child(const char* name) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_NAME, name);
    for (;;) ::pause();
  }
  return pid;
}

void end_child(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

TEST(Descendants, ReadsAProcessWithAnAwkwardName) {
  auto ready = make_pipe().value();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_NAME, ") S 1 (\n x");
    ready.write.reset();
    for (;;) ::pause();
  }
  ready.write.reset();
  EXPECT_EQ(read_all(ready.read), "");
  const auto process = read_process(pid);
  ASSERT_TRUE(process.has_value());
  EXPECT_EQ(process->name, ") S 1 (? x");
  EXPECT_EQ(process->parent, ::getpid());
  EXPECT_EQ(process->group, ::getpgrp());
  EXPECT_GE(process->start, read_process(::getpid())->start);
  end_child(pid);
  EXPECT_FALSE(read_process(pid).has_value());
}

TEST(Descendants, VisitsGrandchildrenAndNobodyElse) {
  ASSERT_TRUE(become_subreaper().has_value());
  auto pids = make_pipe().value();
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string line = fmt::format("{}\n", start_child("grandchild"));
    if (::write(pids.write.get(), line.data(), line.size()) < 0) ::_exit(1);
    for (;;) ::pause();
  }
  const pid_t grandchild = std::stoi(read_line(pids.read));
  std::vector<pid_t> seen;
  visit_descendants([&](const ProcessStat& process) { seen.push_back(process.pid); });
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<pid_t>{std::min(child, grandchild), std::max(child, grandchild)}));
  end_child(child);
  end_child(grandchild);
}

TEST(Descendants, SignalSparesAPidThatWasRecycled) {
  const pid_t pid = start_child("new owner");
  const UniqueFd watched = watch(pid);
  auto process = read_process(pid).value();
  process.start -= 1;  // as if the pid had been another's when it was read
  signal_process(process, SIGKILL);
  siginfo_t pending{};
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &pending, WEXITED | WNOHANG | WNOWAIT), 0);
  EXPECT_EQ(pending.si_pid, 0);
  process.start += 1;
  signal_process(process, SIGKILL);
  EXPECT_TRUE(has_ended(watched, patience));
  end_child(pid);
}

// A child that nobody reaps stands in for one that does not die.
TEST(Descendants, KillNamesWhatIsLeftAtTheLimit) {
  const Reaping never{[] { return false; }, [](base::Duration) {}};
  EXPECT_EQ(kill_until_gone(never, base::Duration(0)),
            std::vector<std::string>{"a process that /proc does not show"});
  const pid_t pid = start_child("unreaped");
  const UniqueFd watched = watch(pid);
  const auto left = kill_until_gone(never, base::Duration(0));
  EXPECT_TRUE(has_ended(watched, patience));
  ASSERT_EQ(left.size(), 1u);
  // The name that it had before it took its own may still be there.
  EXPECT_EQ(left[0].find(fmt::format("pid {} (", pid)), 0u) << left[0];
  end_child(pid);
}

}  // namespace
}  // namespace muster::process::test
