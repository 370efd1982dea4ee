// Nothing is left behind: signals to groups, sweeps, and the death of the owner or the guard.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "process/warden.hpp"
#include "unit/folder.hpp"
#include "unit/nest.hpp"
#include "unit/process/guard_fixture.hpp"

namespace muster::process::test {
namespace {

using Clock = std::chrono::steady_clock;

// Each writes its pid on a line of its own when it is what it claims to be.
const std::string plain = "echo $$; exec sleep 1000 >/dev/null";
const std::string in_session =
    "setsid sh -c 'echo $$; exec sleep 1000 >/dev/null' & exec >&-; wait";
const std::string double_forked =
    "(setsid sh -c '(env -i sh -c \"echo \\$\\$; exec /bin/sleep 1000 >/dev/null\") & ' &); "
    "exec sleep 1000 >/dev/null";
const std::string stopped = "sleep 1000 >/dev/null & kill -STOP $!; echo $!; exec >&-; wait";
const std::string deaf =
    "trap '' TERM INT HUP; echo $$; exec >/dev/null; while :; do sleep 1; done";
const std::string deaf_child =
    "(trap '' TERM INT HUP; sh -c 'echo $$; exec sleep 1000 >/dev/null') & exec >&-; wait";

class GuardCleanup : public GuardTest {
 protected:
  void SetUp() override {
    // Guards of killed owners, and orphans of killed guards, come to us to be reaped.
    ASSERT_TRUE(become_subreaper().has_value());
    GuardTest::SetUp();
  }
  void TearDown() override {
    guard_.reset();
    EXPECT_EQ(sweep_descendants(base::Duration(5000)), std::vector<std::string>());
  }

  std::vector<UniqueFd> start_all_kinds() {
    std::vector<UniqueFd> watched;
    ProcessId id = 100;
    for (const auto& script : {plain, in_session, double_forked, stopped, deaf}) {
      const UniqueFd out = spawn_with_output(shell(++id, script));
      for (auto& fd : watch_lines(out, 1)) watched.push_back(std::move(fd));
    }
    return watched;
  }
};

void expect_all_ended(const std::vector<UniqueFd>& watched, Clock::time_point until) {
  for (std::size_t i = 0; i < watched.size(); ++i) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    EXPECT_TRUE(has_ended(watched[i], std::max(left, std::chrono::milliseconds(0)))) << i;
  }
}

// Whoever a task had started would hold its output.
bool nobody_writes(const UniqueFd& pipe) {
  pollfd source{pipe.get(), 0, 0};
  return ::poll(&source, 1, 0) == 1 && (source.revents & POLLHUP) != 0;
}

TEST_F(GuardCleanup, SignalReachesTheWholeGroup) {
  const UniqueFd out = spawn_with_output(
      shell(1, "sh -c 'echo $$; exec sleep 1000' & sh -c 'echo $$; exec sleep 1000' & wait"));
  const auto watched = watch_lines(out, 2);
  guard_->signal(1, SIGTERM);
  ASSERT_TRUE(run_until_ended(1));
  EXPECT_EQ(told_.ended[1].signal, SIGTERM);
  expect_all_ended(watched, Clock::now() + patience);
}

TEST_F(GuardCleanup, SignalToAReapedProcessIsHarmless) {
  const UniqueFd out = spawn_with_output(shell(1, "sh -c 'echo $$; exec sleep 1000' & exit 3"));
  const auto watched = watch_lines(out, 1);
  ASSERT_TRUE(run_until_ended(1));
  guard_->signal(1, SIGKILL);
  guard_->signal(77, SIGKILL);
  guard_->spawn(shell(2, "exit 0"));
  ASSERT_TRUE(run_until_ended(2));
  EXPECT_FALSE(has_ended(watched[0], std::chrono::milliseconds(0)));
}

TEST_F(GuardCleanup, OrphansAreReapedInSilence) {
  auto in = make_pipe().value();
  // A shell's background process would lose its input; a copy of it survives.
  auto order = shell(1, "exec 3<&0; (sh -c 'echo $$; read x <&3' &); exit 0");
  order.in = in.read.get();
  const UniqueFd out = spawn_with_output(order);
  const auto watched = watch_lines(out, 1);
  ASSERT_TRUE(run_until_ended(1));
  EXPECT_FALSE(has_ended(watched[0], std::chrono::milliseconds(0)));
  in.write.reset();
  expect_all_ended(watched, Clock::now() + patience);
  guard_->sweep();
  ASSERT_TRUE(run_until([&] { return told_.swept.size() == 1; }));
  EXPECT_EQ(told_.ended.size(), 1u);
}

// It waits for nothing: many take less than as many starts of a shell.
TEST_F(GuardCleanup, SweepOfNothingIsFasterThanAStart) {
  constexpr std::size_t count = 200;
  const auto start = Clock::now();
  for (ProcessId id = 1; id <= count; ++id) {
    guard_->spawn(shell(id, "exit 0"));
    ASSERT_TRUE(run_until_ended(id));
  }
  const auto started = Clock::now();
  for (std::size_t i = 0; i < count; ++i) guard_->sweep();
  ASSERT_TRUE(run_until([&] { return told_.swept.size() == count; }));
  EXPECT_LT(Clock::now() - started, started - start);
  EXPECT_TRUE(told_.swept.front().leftovers.empty());
}

TEST_F(GuardCleanup, SweepLeavesNothing) {
  const auto watched = start_all_kinds();
  guard_->sweep();
  ASSERT_TRUE(run_until([&] { return told_.swept.size() == 1; }));
  EXPECT_EQ(told_.swept[0].leftovers, std::vector<std::string>());
  expect_all_ended(watched, Clock::now());
  EXPECT_EQ(told_.ended.size(), 5u);
  EXPECT_EQ(told_.log.back(), "swept");
  guard_->spawn(shell(1, "exit 0"));
  EXPECT_TRUE(run_until_ended(1));
}

TEST_F(GuardCleanup, SweepCatchesAChainOfForksThatFlees) {
  // Each generation starts the next in a session of its own, and ends.
  const UniqueFd out = spawn_with_output(
      shell(1, "f='echo $$; setsid sh -c \"$f\" & exit 0'; export f; setsid sh -c \"$f\" &"));
  for (int i = 0; i < 20; ++i) ASSERT_FALSE(read_line(out).empty());
  guard_->sweep();
  ASSERT_TRUE(run_until([&] { return told_.swept.size() == 1; }));
  EXPECT_EQ(told_.swept[0].leftovers, std::vector<std::string>());
  EXPECT_TRUE(nobody_writes(out));
}

TEST_F(GuardCleanup, SweepCatchesForkersInOneGroup) {
  const UniqueFd out = spawn_with_output(
      shell(1,
            "f() { while :; do /bin/sleep 1000 & sleep 0.001; done; }; f & f & f & "
            "echo ready; wait"));
  ASSERT_EQ(read_line(out), "ready");
  guard_->sweep();
  ASSERT_TRUE(run_until([&] { return told_.swept.size() == 1; }));
  EXPECT_EQ(told_.swept[0].leftovers, std::vector<std::string>());
  EXPECT_TRUE(nobody_writes(out));
}

TEST_F(GuardCleanup, ClosingTheOwnersEndEndsAll) {
  const auto watched = start_all_kinds();
  const UniqueFd guard = watch(guard_pid_);
  guard_.reset();
  EXPECT_TRUE(has_ended(guard, std::chrono::milliseconds(0)));
  expect_all_ended(watched, Clock::now());
}

TEST_F(GuardCleanup, AnOwnerMayGoOnWhileItsGuardEnds) {
  guard_->spawn(shell(1, "exit 0"));
  ASSERT_TRUE(run_until_ended(1));
  const UniqueFd guard = watch(guard_pid_);
  const UniqueFd warden = watch(warden_pid_);
  guard_->leave();
  guard_->spawn(shell(2, "exit 0"));  // nobody hears it any more
  guard_.reset();
  wait_for_guards();
  EXPECT_TRUE(has_ended(guard, std::chrono::milliseconds(0)));
  EXPECT_TRUE(has_ended(warden, std::chrono::milliseconds(0)));
  EXPECT_EQ(told_.log, (std::vector<std::string>{"spawned 1", "ended 1"}));
}

// A sweep that needs no guard is answered all the same, and not when there is something to sweep.
TEST_F(GuardCleanup, ASweepAfterTheLastEndIsAnswered) {
  guard_->spawn(shell(1, "exit 0"));
  ASSERT_TRUE(run_until_ended(1));
  EXPECT_TRUE(told_.ended[1].last);
  guard_->sweep();
  EXPECT_TRUE(told_.swept.empty());
  ASSERT_TRUE(run_until([&] { return told_.swept.size() == 1; }));
  guard_->spawn(shell(2, "sleep 60 & exit 0"));
  ASSERT_TRUE(run_until_ended(2));
  EXPECT_FALSE(told_.ended[2].last);
  guard_->spawn(shell(3, "sleep 60"));
  guard_->sweep();
  ASSERT_TRUE(run_until([&] { return told_.swept.size() == 2; }));
  EXPECT_EQ(told_.ended[3].signal, SIGKILL);
}

// It is stopped when it is asked; a while after that it ends by itself.
TEST_F(GuardCleanup, TasksAreAskedOnceBeforeTheyAreKilled) {
  guard_->set_grace(std::chrono::hours(1));
  const UniqueFd out =
      spawn_with_output(shell(1,
                              "trap 'echo asked; go=1' TERM; (kill -STOP $$; echo ready) & "
                              "while [ -z \"$go\" ]; do sleep 0.01; done; "
                              "n=0; while [ $n -lt 100000 ]; do n=$((n+1)); done; echo done"));
  ASSERT_EQ(read_line(out), "ready");
  guard_.reset();
  EXPECT_EQ(read_all(out), "asked\ndone\n");
}

TEST_F(GuardCleanup, GuardIgnoresTheSignalsOfATerminal) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTTIN, SIGTTOU}) {
    ASSERT_EQ(::kill(guard_pid_, number), 0);
  }
  guard_->spawn(shell(1, "exit 0"));
  EXPECT_TRUE(run_until_ended(1));
  EXPECT_FALSE(told_.lost);
}

TEST_F(GuardCleanup, GuardHoldsNothingOfItsOwner) {
  guard_->spawn(shell(1, "exit 0"));
  ASSERT_TRUE(run_until_ended(1));
  const std::string fds = output_of(
      shell(2, fmt::format("for f in /proc/{0}/fd/*; do readlink $f; done; cat /proc/{0}/comm",
                           guard_pid_)));
  // Three descriptors besides 0, 1, 2: the socket, the signalfd, and what tells the deputy.
  EXPECT_EQ(fds.find("/dev/null\n/dev/null\n/dev/null\nsocket:["), 0u) << fds;
  EXPECT_NE(fds.find("]\nanon_inode:[signalfd]\npipe:["), std::string::npos) << fds;
  EXPECT_EQ(std::count(fds.begin(), fds.end(), '\n'), 7) << fds;
  EXPECT_NE(fds.find("]\nmuster-guard\n"), std::string::npos) << fds;
  EXPECT_EQ(::getsid(guard_pid_), warden_pid_);
}

TEST_F(GuardCleanup, WhatAKilledGuardLeavesIsSweptByItsWarden) {
  const auto watched = start_all_kinds();
  ASSERT_EQ(::kill(guard_pid_, SIGKILL), 0);
  ASSERT_TRUE(run_until([&] { return told_.lost.has_value(); }));
  EXPECT_TRUE(told_.lost->swept);
  EXPECT_FALSE(told_.lost->stopped);
  EXPECT_EQ(told_.log.back(), "lost");
  expect_all_ended(watched, Clock::now());
  guard_->spawn(shell(1, "exit 0"));
  guard_->signal(1, SIGTERM);
  guard_->sweep();
  loop_.restart();
  loop_.poll();
  EXPECT_EQ(told_.log.back(), "lost");
}

// By the parent-death signal; what it does not reach is swept by the owner.
TEST_F(GuardCleanup, TasksEndWithTheirGuardWithoutAWarden) {
  const auto watched = start_all_kinds();
  ASSERT_EQ(::kill(warden_pid_, SIGKILL), 0);
  ASSERT_EQ(::kill(guard_pid_, SIGKILL), 0);
  EXPECT_TRUE(has_ended(watched[0], patience));
  ASSERT_TRUE(run_until([&] { return told_.lost.has_value(); }));
  EXPECT_FALSE(told_.lost->swept);
  EXPECT_EQ(sweep_descendants(base::Duration(5000)), std::vector<std::string>());
  expect_all_ended(watched, Clock::now());
}

// Its command line goes a moment later than its name: the start does not wait for it.
TEST_F(GuardCleanup, AWardenIsNotFoundByOurName) {
  const std::string words = output_of(
      shell(1, fmt::format("cat /proc/{0}/comm; while grep -q unit_process /proc/{0}/cmdline; do "
                           "sleep 0.01; done; tr -d '\\0' </proc/{0}/cmdline",
                           warden_pid_)));
  EXPECT_EQ(words, "job-warden\njob-warden");
  EXPECT_EQ(::getsid(warden_pid_), warden_pid_);
}

TEST_F(GuardCleanup, ADeputyIsNotFoundByOurNameAndEndsWithItsWarden) {
  const pid_t deputy = child_of(warden_pid_, 1);
  const std::string words =
      output_of(shell(1, fmt::format("until grep job-deputy /proc/{0}/comm; do sleep 0.01; done; "
                                     "tr -d '\\0' </proc/{0}/cmdline",
                                     deputy)));
  EXPECT_EQ(words, "job-deputy\njob-warden");
  EXPECT_EQ(::getsid(deputy), deputy);
  const UniqueFd watched = watch(deputy);
  guard_.reset();
  EXPECT_TRUE(has_ended(watched, std::chrono::milliseconds(0)));
}

TEST_F(GuardCleanup, AGuardThatIsStoppedForALeaseIsKilled) {
  const auto watched = start_all_kinds();
  guard_->watch(base::Duration(400), false);
  ASSERT_EQ(::kill(guard_pid_, SIGSTOP), 0);
  ASSERT_TRUE(run_until([&] { return told_.lost.has_value(); }));
  EXPECT_TRUE(told_.lost->stopped);
  EXPECT_TRUE(told_.lost->swept);
  expect_all_ended(watched, Clock::now());
}

// They had SIGTERM; what the tasks themselves did not wait for, nobody waits for: it would take an
// hour.
TEST_F(GuardCleanup, ChildrenThatIgnoreSigtermDoNotOutliveTheTasksOfAVanishedOwner) {
  guard_->set_grace(std::chrono::hours(1));
  const UniqueFd out = spawn_with_output(
      shell(1, "(trap '' TERM; sh -c 'echo $$; exec sleep 9000 >/dev/null') & exec sleep 9000"));
  const auto watched = watch_lines(out, 1);
  guard_.reset();
  expect_all_ended(watched, Clock::now());
}

// A process that owns a guard, starts one of each kind with their pids on `out`, and then hangs.
[[noreturn]] void be_owner(const UniqueFd& out, base::Duration grace, base::Duration lease,
                           const std::vector<std::string>& scripts) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto process = fork_guard();
  if (!process || !become_subreaper()) ::_exit(1);
  asio::io_context loop;
  Guard guard(loop, std::move(*process), {});
  guard.set_grace(grace);
  guard.watch(lease, true);
  ProcessId id = 0;
  for (const auto& script : scripts) {
    auto order = shell(++id, script);
    order.out = out.get();
    guard.spawn(order);
  }
  loop.run();
  ::_exit(2);
}

class OwnerDies : public GuardCleanup {
 protected:
  void SetUp() override {
    GuardCleanup::SetUp();
    guard_.reset();
  }
  void TearDown() override {
    GuardCleanup::TearDown();
    EXPECT_TRUE(nobody_writes(out_.read));
  }

  void start_owner(base::Duration lease = base::Duration(0),
                   const std::vector<std::string>& scripts = {plain, in_session, double_forked,
                                                              stopped, deaf}) {
    out_ = make_pipe().value();
    owner_ = ::fork();
    if (owner_ == 0) be_owner(out_.write, grace_, lease, scripts);
    out_.write.reset();
    watched_ = watch_lines(out_.read, scripts.size());
  }

  const base::Duration grace_{500};
  Pipe out_;
  pid_t owner_ = 0;
  std::vector<UniqueFd> watched_;
};

TEST_F(OwnerDies, LeavesNothingAndStrangersLive) {
  const pid_t stranger = ::fork();
  if (stranger == 0) ::execl("/bin/sleep", "sleep", "1000", nullptr);
  const UniqueFd stranger_watch = watch(stranger);
  start_owner();
  ASSERT_EQ(::kill(owner_, SIGKILL), 0);
  expect_all_ended(watched_, Clock::now() + patience);
  EXPECT_FALSE(has_ended(stranger_watch, std::chrono::milliseconds(0)));
}

TEST_F(OwnerDies, TogetherWithItsGuard) {
  start_owner();
  const pid_t warden = child_of(owner_);
  const pid_t guard = child_of(warden);
  ASSERT_EQ(::kill(guard, SIGSTOP), 0);  // it shall not see the owner's end before its own
  ASSERT_EQ(::kill(owner_, SIGKILL), 0);
  ASSERT_EQ(::kill(guard, SIGKILL), 0);
  expect_all_ended(watched_, Clock::now() + patience);
}

// Nobody is left who was told: the kernel ends the tasks, a deputy the rest of their session.
TEST_F(OwnerDies, TogetherWithItsGuardAndWarden) {
  start_owner(base::Duration(0), {plain, stopped, deaf, deaf_child});
  const pid_t warden = child_of(owner_);
  ASSERT_NE(child_of(warden, 1), 0);  // its deputy comes a moment later
  for (const pid_t pid : {owner_, warden, child_of(warden)}) ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  for (const pid_t pid : {child_of(warden), warden, owner_}) ASSERT_EQ(::kill(pid, SIGKILL), 0);
  expect_all_ended(watched_, Clock::now() + patience);
}

TEST_F(OwnerDies, AfterItWasStoppedForALease) {
  start_owner(base::Duration(400));
  const UniqueFd owner = watch(owner_);
  ASSERT_EQ(::kill(owner_, SIGSTOP), 0);
  expect_all_ended(watched_, Clock::now() + patience);
  EXPECT_TRUE(has_ended(owner, patience));
}

TEST(StopWatchTest, OnlyAWholeLeaseCounts) {
  using std::chrono::milliseconds;
  const base::Duration lease{400};
  const base::Instant start{};
  StopWatch watch;
  EXPECT_FALSE(watch.look(true, start, lease));
  EXPECT_FALSE(watch.look(true, start + milliseconds(100), lease));
  EXPECT_FALSE(watch.look(false, start + milliseconds(200), lease));
  EXPECT_FALSE(watch.look(true, start + milliseconds(300), lease));
  EXPECT_FALSE(watch.look(true, start + milliseconds(500), lease));
  EXPECT_FALSE(watch.look(true, start + milliseconds(699), lease));
  EXPECT_TRUE(watch.look(true, start + milliseconds(700), lease));
}

TEST(StopWatchTest, WhoeverSleptHimselfBeginsAnew) {
  using std::chrono::milliseconds;
  const base::Duration lease{400};
  const base::Instant start{};
  StopWatch watch;
  EXPECT_FALSE(watch.look(true, start, lease));
  EXPECT_FALSE(watch.look(true, start + milliseconds(100), lease));
  EXPECT_FALSE(watch.look(true, start + std::chrono::hours(1), lease));
  EXPECT_FALSE(watch.look(true, start + std::chrono::hours(1) + milliseconds(100), lease));
}

// A task may have put anything there.
TEST_F(GuardCleanup, FoldersGoAtTheEndHoweverDeepTheyAre) {
  const unit::Folder around;
  const std::string folder = around.path() + "/folder";
  std::filesystem::create_directory(folder);
  unit::nest(folder, 2'100);
  guard_->remove_at_end(folder);
  guard_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace muster::process::test
