// Claims of cpus: one job only, gone with it, and handed on to jobs within a bound rank.
#include "probe/cpu_claims.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::probe::cpu_claims_test {
namespace {

using model::CpuSet;

constexpr const char* kNames =
    "Num       RefCount Protocol Flags    Type St Inode Path\n"
    "0000000000000000: 00000002 00000000 00000000 0002 01 1111 @muster-cpu-0\n"
    "0000000000000000: 00000002 00000000 00000000 0002 01 2222 @muster-cpu-1\n"
    "0000000000000000: 00000003 00000000 00000000 0001 03 4321 /run/dbus/socket\n"
    "0000000000000000: 00000002 00000000 00000000 0002 01 3333 @muster-cpu-1-of-2222\n"
    "0000000000000000: 00000002 00000000 00000000 0002 01 5555 @muster-port-1\n";

TEST(CpuNames, OfOthersAreTaken) {
  const CpuNames names(kNames, {});
  EXPECT_EQ(names.name_of(0), "muster-cpu-0");
  EXPECT_TRUE(names.is_taken(0) && names.is_taken(1));
  EXPECT_FALSE(names.is_taken(2) || names.is_taken(11));
}

TEST(CpuNames, OfALauncherThatHasBoundUsAreHandedOn) {
  const CpuNames names(kNames, {1111});
  EXPECT_EQ(names.name_of(0), "muster-cpu-0-of-1111");
  EXPECT_FALSE(names.is_taken(0));
}

TEST(CpuNames, NestAsDeepAsLaunchersDo) {
  const CpuNames beside(kNames, {2222});  // another job in the same rank holds it
  EXPECT_TRUE(beside.is_taken(1));
  const CpuNames within(kNames, {2222, 3333});
  EXPECT_EQ(within.name_of(1), "muster-cpu-1-of-3333");
  EXPECT_FALSE(within.is_taken(1));
}

// Cpus that this machine does not have, so that no job of muster can be in the way.
class Claims : public testing::Test {
 protected:
  std::uint32_t base_ = 8192 + static_cast<std::uint32_t>(::getpid()) % 8000;
  CpuSet both_ = CpuSet::range(base_, base_ + 1);
};

TEST_F(Claims, AreOfOneJobOnly) {
  CpuClaims first;
  EXPECT_TRUE(first.claim(CpuSet::of(base_)));
  EXPECT_EQ(claimed_by_others(both_), CpuSet::of(base_));
  CpuClaims second;
  EXPECT_FALSE(second.claim(both_));
  EXPECT_EQ(claimed_by_others(both_), CpuSet::of(base_)) << "a claim that failed left a part";
  EXPECT_TRUE(second.claim(CpuSet::of(base_ + 1)));
}

TEST_F(Claims, AreKeptWhenTheyAreMadeAgain) {
  CpuClaims job;
  EXPECT_TRUE(job.claim(CpuSet::of(base_)));
  EXPECT_TRUE(job.claim(both_));
}

TEST_F(Claims, GoWithTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    static CpuClaims claims;
    const bool fine = claims.claim(both_);
    (void)::raise(fine ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_TRUE(claimed_by_others(both_).empty());
}

TEST_F(Claims, AreHandedOnToWhomTheHolderHasStarted) {
  CpuClaims outer;
  ASSERT_TRUE(outer.claim(both_));
  const pid_t child = ::fork();
  if (child == 0) {
    CpuClaims inner;
    ::_exit(claimed_by_others(both_).empty() && inner.claim(both_) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace muster::probe::cpu_claims_test
