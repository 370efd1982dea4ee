// What a guard starts: exit codes, signals, errors, and what a task finds around itself.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>

#include "unit/process/guard_fixture.hpp"

namespace muster::process::test {
namespace {

using GuardSpawn = GuardTest;

TEST_F(GuardSpawn, ReportsExitCodeAfterPid) {
  guard_->spawn(shell(1, "exit 42"));
  ASSERT_TRUE(run_until_ended(1));
  EXPECT_EQ(told_.log, (std::vector<std::string>{"spawned 1", "ended 1"}));
  EXPECT_GT(told_.spawned[1].pid, 0);
  EXPECT_EQ(told_.ended[1].pid, told_.spawned[1].pid);
  EXPECT_EQ(told_.ended[1].code, 42);
  EXPECT_EQ(told_.ended[1].signal, 0);
  EXPECT_GT(told_.ended[1].max_rss_kib, 0u);
}

TEST_F(GuardSpawn, ReportsTheSignalThatKilled) {
  guard_->spawn(shell(1, "kill -9 $$"));
  ASSERT_TRUE(run_until_ended(1));
  EXPECT_EQ(told_.ended[1].signal, SIGKILL);
  EXPECT_EQ(told_.ended[1].code, 0);
}

TEST_F(GuardSpawn, BindsOnlyTheTaskThatAsksForIt) {
  cpu_set_t own;
  ASSERT_EQ(::sched_getaffinity(0, sizeof own, &own), 0);
  std::uint32_t last = 0;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &own)) last = cpu;
  }
  const std::string allowed = "$(grep Cpus_allowed_list /proc/self/status | cut -f2)";
  auto bound = shell(1, fmt::format("[ \"{}\" = {} ]", allowed, last));
  bound.cpus = model::CpuSet::of(last);
  guard_->spawn(bound);
  guard_->spawn(shell(2, fmt::format("[ \"{}\" = \"$(grep Cpus_allowed_list /proc/{}/status | "
                                     "cut -f2)\" ]",
                                     allowed, ::getpid())));
  auto nowhere = shell(3, "exit 0");
  nowhere.cpus = model::CpuSet::of(model::kCpusMax - 1);
  guard_->spawn(nowhere);
  ASSERT_TRUE(run_until_ended(2));
  EXPECT_EQ(told_.ended[1].code, 0);
  EXPECT_EQ(told_.ended[2].code, 0);
  EXPECT_EQ(told_.spawned[3].error, EINVAL);
}

TEST_F(GuardSpawn, SaysWhyItCouldNotStart) {
  guard_->spawn(order_of(1, "/no/such/program"));
  guard_->spawn(order_of(2, "/"));
  auto misplaced = shell(3, "exit 0");
  misplaced.workdir = "/no/such/folder";
  guard_->spawn(misplaced);
  auto too_big = shell(4, "exit 0");
  too_big.arguments.push_back(std::string(1 << 20, 'x'));
  guard_->spawn(too_big);
  guard_->spawn(shell(5, "exit 0"));
  ASSERT_TRUE(run_until_ended(5));
  EXPECT_EQ(told_.spawned[1].error, ENOENT);
  EXPECT_EQ(told_.spawned[2].error, EACCES);
  EXPECT_EQ(told_.spawned[3].error, ENOENT);
  EXPECT_EQ(told_.spawned[4].error, E2BIG);
  for (ProcessId id = 1; id <= 4; ++id) EXPECT_EQ(told_.spawned[id].pid, 0) << id;
  EXPECT_EQ(told_.ended.size(), 1u);
}

TEST_F(GuardSpawn, RefusesAnOrderBeyondTheBound) {
  auto order = shell(1, "exit 0");
  order.environment.push_back("BIG=" + std::string(std::size_t{17} << 20, 'x'));
  guard_->spawn(order);
  ASSERT_TRUE(run_until([&] { return told_.spawned.contains(1); }));
  EXPECT_EQ(told_.spawned[1].error, E2BIG);
}

TEST_F(GuardSpawn, PassesInOutAndErr) {
  auto in = make_pipe().value();
  auto err = make_pipe().value();
  auto order = shell(1, "read line; echo out $line; echo err $line >&2");
  order.in = in.read.get();
  order.err = err.write.get();
  const UniqueFd out = spawn_with_output(order);
  in.read.reset();
  err.write.reset();
  ASSERT_EQ(::write(in.write.get(), "word\n", 5), 5);
  EXPECT_EQ(read_all(out), "out word\n");
  EXPECT_EQ(read_all(err.read), "err word\n");
}

TEST_F(GuardSpawn, PassesTheWireUpDescriptorAsThree) {
  auto wireup = make_pipe().value();
  auto order = shell(1, "echo through three >&3");
  order.wireup = wireup.write.get();
  const UniqueFd out = spawn_with_output(order);
  wireup.write.reset();
  EXPECT_EQ(read_all(wireup.read), "through three\n");
  EXPECT_EQ(read_all(out), "");
}

TEST_F(GuardSpawn, MissingDescriptorsAreDevNull) {
  EXPECT_EQ(output_of(shell(1, "cat; readlink /proc/self/fd/0 /proc/self/fd/2")),
            "/dev/null\n/dev/null\n");
}

TEST_F(GuardSpawn, OnlyThreeDescriptorsAreOpen) {
  const UniqueFd open_here(::open("/dev/null", O_RDONLY));  // inheritable on purpose
  auto other = make_pipe().value();
  auto waiting = shell(1, "read line");
  waiting.in = other.read.get();
  guard_->spawn(waiting);
  // ls itself opens 3 for the folder.
  EXPECT_EQ(output_of(order_of(2, "/bin/ls", {"/proc/self/fd"})), "0\n1\n2\n3\n");
}

std::uint64_t ignored_in(const std::string& status) {
  const std::string mark = "SigIgn:\t";
  return std::stoull(status.substr(status.find(mark) + mark.size()), nullptr, 16);
}

TEST_F(GuardSpawn, SignalStateIsClean) {
  const std::string status = output_of(order_of(1, "/bin/cat", {"/proc/self/status"}));
  EXPECT_NE(status.find("SigBlk:\t0000000000000000\n"), std::string::npos) << status;
  // 32 and 33 are glibc's own, which no program can see: whoever started us may have ignored them.
  constexpr std::uint64_t kOfGlibc = 0x180000000;
  EXPECT_EQ(ignored_in(status) & ~kOfGlibc, 0U) << status;
  EXPECT_NE(status.find("SigCgt:\t0000000000000000\n"), std::string::npos) << status;
}

TEST_F(GuardSpawn, LeadsAProcessGroupOfItsOwnOutsideOurSession) {
  const UniqueFd out = spawn_with_output(shell(1, "echo ready; exec sleep 1000"));
  ASSERT_EQ(read_line(out), "ready");
  const pid_t pid = told_.spawned[1].pid;
  EXPECT_EQ(::getpgid(pid), pid);
  EXPECT_EQ(::getsid(pid), warden_pid_);
}

TEST_F(GuardSpawn, EnvironmentIsExactlyTheOrdered) {
  auto order = order_of(1, "/usr/bin/env");
  order.environment = {"B=2", "A=x y", "PWD=/elsewhere"};
  order.workdir = "/usr";
  EXPECT_EQ(output_of(order), "B=2\nA=x y\nPWD=/usr\n");
  order.id = 2;
  order.workdir.clear();
  EXPECT_EQ(output_of(order), "B=2\nA=x y\nPWD=/elsewhere\n");
}

TEST_F(GuardSpawn, StartsInTheWorkdir) {
  auto order = order_of(1, "/bin/pwd", {"-P"});
  order.workdir = "/usr/bin";
  EXPECT_EQ(output_of(order), "/usr/bin\n");
}

TEST_F(GuardSpawn, KeepsTheFileLimitOfTheFork) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit lowered = before;
  lowered.rlim_cur = before.rlim_cur - 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lowered), 0);
  const std::string seen = output_of(shell(1, "ulimit -n"));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(seen, fmt::format("{}\n", before.rlim_cur));
}

TEST_F(GuardSpawn, EnvironmentOfMegabytesArrives) {
  // A single string may have 128 KiB, all together a quarter of the stack's limit (8 MiB mostly).
  auto order = shell(1, "env | wc -c");
  order.environment.clear();
  std::size_t expected = 0;
  for (int i = 0; i < 15; ++i) {
    order.environment.push_back(fmt::format("BIG{:02}={}", i, std::string(100000, 'x')));
    expected += 100007;
  }
  // The shell adds PWD.
  order.environment.push_back("PWD=/");
  order.workdir = "/";
  EXPECT_EQ(std::stoul(output_of(order)), expected + 6);
}

TEST_F(GuardSpawn, ThousandInARowAllEnd) {
  constexpr ProcessId count = 1000;
  for (ProcessId id = 1; id <= count; ++id) {
    auto order = order_of(id, id % 2 == 0 ? "/bin/true" : "/bin/false");
    order.environment.push_back("PAD=" + std::string(4000, 'x'));
    guard_->spawn(order);
  }
  ASSERT_TRUE(run_until([&] { return told_.ended.size() == count || told_.lost.has_value(); }));
  for (ProcessId id = 1; id <= count; ++id) {
    ASSERT_EQ(told_.ended[id].code, id % 2 == 0 ? 0 : 1) << id;
    const auto place = [&](const char* what) {
      return std::find(told_.log.begin(), told_.log.end(), fmt::format("{} {}", what, id));
    };
    ASSERT_LT(place("spawned"), place("ended")) << id;
  }
}

// More orders than the open files allow to be kept at once; each task has its own descriptor.
TEST_F(GuardSpawn, OrdersBeyondTheLimitOfOpenFilesAllStart) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit lowered = before;
  lowered.rlim_cur = std::min<rlim_t>(before.rlim_cur, 100);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lowered), 0);
  constexpr ProcessId count = 300;
  auto out = make_pipe().value();
  for (ProcessId id = 1; id <= count; ++id) {
    auto order = order_of(id, "/bin/sh", {"-c", fmt::format("echo {}", id)});
    order.environment.push_back("PAD=" + std::string(30000, 'x'));
    order.out = out.write.get();
    order.err = out.write.get();
    guard_->spawn(order);
  }
  out.write.reset();
  ASSERT_TRUE(run_until([&] { return told_.ended.size() == count || told_.lost.has_value(); }));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  const std::string text = read_all(out.read);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), count);
}

// Each order opens its own pipe when its turn comes, and the sweep after all of them waits for it.
TEST_F(GuardSpawn, OrdersThatWaitForRoomHoldNoDescriptors) {
  constexpr ProcessId count = 200;  // about 12 MB, the socket takes 0.2
  ProcessId given = 0;
  ASSERT_EQ(::kill(guard_pid_, SIGSTOP), 0);  // one that keeps up makes nobody wait
  for (ProcessId id = 1; id <= count; ++id) {
    guard_->when_sent([&, id] {
      EXPECT_EQ(++given, id);
      auto out = make_pipe().value();
      EXPECT_LT(out.write.get(), 100);
      auto order = order_of(id, "/bin/sleep", {"60"});
      order.environment.push_back("PAD=" + std::string(60000, 'x'));
      order.out = out.write.get();
      guard_->spawn(order);
    });
  }
  EXPECT_LT(given, count);
  ASSERT_EQ(::kill(guard_pid_, SIGCONT), 0);
  guard_->sweep();
  ASSERT_TRUE(run_until([&] { return !told_.swept.empty() || told_.lost.has_value(); }));
  EXPECT_EQ(told_.spawned.size(), count);
  EXPECT_EQ(told_.ended.size(), count);
}

TEST_F(GuardSpawn, HugeOrdersBeyondTheQueueAllStart) {
  constexpr ProcessId count = 100;  // about 150 MB, the queue keeps 64 MiB
  auto order = order_of(0, "/bin/true");
  for (int i = 0; i < 15; ++i) {
    order.environment.push_back(fmt::format("BIG{}={}", i, std::string(100000, 'x')));
  }
  for (order.id = 1; order.id <= count; ++order.id) guard_->spawn(order);
  ASSERT_TRUE(run_until([&] { return told_.ended.size() == count || told_.lost.has_value(); }));
  for (ProcessId id = 1; id <= count; ++id) EXPECT_EQ(told_.ended[id].code, 0) << id;
}

TEST_F(GuardSpawn, AGuardMayBeDestroyedInItsOwnCallback) {
  auto process = fork_guard();
  ASSERT_TRUE(process.has_value());
  const UniqueFd watched = watch(process->warden);
  std::unique_ptr<Guard> other;
  int ends = 0;
  GuardEvents ending;
  ending.ended = [&](const Ended&) {
    ++ends;
    other.reset();
  };
  other = std::make_unique<Guard>(loop_, std::move(*process), std::move(ending));
  other->spawn(shell(1, "exit 0"));
  other->spawn(shell(2, "exit 0"));
  ASSERT_TRUE(run_until([&] { return other == nullptr; }));
  loop_.restart();
  loop_.poll();
  EXPECT_EQ(ends, 1);
  EXPECT_TRUE(has_ended(watched, patience));
}

}  // namespace
}  // namespace muster::process::test
