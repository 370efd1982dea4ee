// What is said when the kernel refuses something: the limit, and how to raise it.
#include "process/shortage.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <new>
#include <sys/resource.h>
#include <system_error>

namespace muster::process {
namespace {

Limits of_files(std::uint64_t soft, std::uint64_t hard) {
  Limits limits;
  limits.files = soft;
  limits.files_max = hard;
  return limits;
}

TEST(Shortage, OfDescriptorsNamesTheLimit) {
  const base::Error error = system_error("cannot open a pipe", EMFILE, of_files(64, 64));
  EXPECT_EQ(error.what, "cannot open a pipe: Too many open files (at most 64)");
  EXPECT_EQ(error.fault, base::Fault::internal);
  EXPECT_TRUE(error.hint.starts_with("`ulimit -Hn` is 64: ")) << error.hint;
  EXPECT_EQ(system_error("x", EMFILE, of_files(64, 0)).hint,
            "`ulimit -n 4096` before muster starts allows more");
}

TEST(Shortage, OfDescriptorsForRanksTellsHowManyFit) {
  const base::Error error = too_few_descriptors(20, 10, of_files(64, 64));
  EXPECT_EQ(error.what, "10 of 20 ranks here fit into the limit of 64 open files (ulimit -n)");
  EXPECT_TRUE(error.hint.starts_with("`ulimit -Hn` is 64: ")) << error.hint;
  // Who has raised it to the hard limit is not told to do just that.
  EXPECT_TRUE(
      too_few_descriptors(9999, 10, of_files(9000, 9000)).hint.starts_with("`ulimit -Hn` is 9000"));
}

TEST(Shortage, OfProcessesNamesTheNarrowestLimit) {
  Limits limits;
  EXPECT_NE(system_error("no process", EAGAIN, limits).hint.find("pids.max"), std::string::npos);
  limits.processes = 20;
  const base::Error error = system_error("no process", EAGAIN, limits);
  EXPECT_EQ(error.what, "no process: no more processes are allowed");
  EXPECT_TRUE(error.hint.starts_with("`ulimit -u` allows this user 20 ")) << error.hint;
  limits.group = "/sys/fs/cgroup/pids/job";
  limits.group_processes = 8;
  EXPECT_TRUE(system_error("no process", EAGAIN, limits)
                  .hint.starts_with("/sys/fs/cgroup/pids/job/pids.max allows 8 "));
}

TEST(Shortage, OfMemoryNamesTheLimit) {
  Limits limits;
  EXPECT_TRUE(system_error("x", ENOMEM, limits).hint.starts_with("see `free -m`"));
  limits.memory = 64U << 20U;
  EXPECT_TRUE(system_error("x", ENOMEM, limits).hint.starts_with("`ulimit -v` allows 64 MiB"));
}

TEST(Shortage, IsNoneOfOtherErrors) {
  EXPECT_FALSE(is_shortage(ENOENT));
  EXPECT_TRUE(is_shortage(EMFILE));
  EXPECT_EQ(system_error("cannot open /dev/null", EACCES).what,
            "cannot open /dev/null: Permission denied");
  EXPECT_EQ(system_error("cannot open /dev/null", EACCES).hint, "");
}

TEST(Shortage, OfThisProcessIsReadFromItsLimits) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(own_limits().files, limit.rlim_cur);
}

TEST(Caught, TurnsWhatLibrariesThrowIntoErrors) {
  EXPECT_EQ(caught([] { return 7; }), 7);
  const auto full =
      caught([]() -> int { throw std::system_error(EMFILE, std::system_category(), "eventfd"); });
  ASSERT_FALSE(full);
  EXPECT_TRUE(full.error().what.starts_with("muster cannot go on: Too many open files"));
  const auto empty = caught([]() -> int { throw std::bad_alloc(); });
  EXPECT_EQ(empty.error().what, "muster cannot go on: Cannot allocate memory");
  const auto other = caught([]() -> int { throw std::runtime_error("odd"); });
  EXPECT_EQ(other.error().what, "muster cannot go on: odd");
  EXPECT_EQ(base::exit_code(other.error().fault), 247);
}

TEST(Shortage, OnlyWantOfDescriptorsAndMemoryIsMendedByOthersLeaving) {
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM}) EXPECT_TRUE(lacks_room(error)) << error;
  for (const int error : {0, EAGAIN, ECONNABORTED, EPROTO, EPERM, EHOSTUNREACH}) {
    EXPECT_FALSE(lacks_room(error)) << error;
  }
}

}  // namespace
}  // namespace muster::process
