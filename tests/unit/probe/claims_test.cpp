// Claims of cpus and devices: one job only, gone with it, and handed on to jobs within a bound
// rank.
#include "probe/claims.hpp"

#include <csignal>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::probe::claims_test {
namespace {

using model::CpuSet;

constexpr const char* kNames =
    "Num       RefCount Protocol Flags    Type St Inode Path\n"
    "0000000000000000: 00000002 00000000 00000000 0002 01 1111 @muster-cpu-0\n"
    "0000000000000000: 00000002 00000000 00000000 0002 01 2222 @muster-cpu-1\n"
    "0000000000000000: 00000003 00000000 00000000 0001 03 4321 /run/dbus/socket\n"
    "0000000000000000: 00000002 00000000 00000000 0002 01 3333 @muster-cpu-1-of-2222\n"
    "0000000000000000: 00000002 00000000 00000000 0002 01 5555 @muster-port-1\n";

TEST(ClaimNames, OfOthersAreTaken) {
  const ClaimNames names(kNames, {});
  EXPECT_EQ(names.name_of("cpu-0"), "muster-cpu-0");
  EXPECT_TRUE(names.is_taken("cpu-0") && names.is_taken("cpu-1"));
  EXPECT_FALSE(names.is_taken("cpu-2") || names.is_taken("cpu-11"));
}

TEST(ClaimNames, OfALauncherThatHasBoundUsAreHandedOn) {
  const ClaimNames names(kNames, {1111});
  EXPECT_EQ(names.name_of("cpu-0"), "muster-cpu-0-of-1111");
  EXPECT_FALSE(names.is_taken("cpu-0"));
}

TEST(ClaimNames, NestAsDeepAsLaunchersDo) {
  const ClaimNames beside(kNames, {2222});  // another job in the same rank holds it
  EXPECT_TRUE(beside.is_taken("cpu-1"));
  const ClaimNames within(kNames, {2222, 3333});
  EXPECT_EQ(within.name_of("cpu-1"), "muster-cpu-1-of-3333");
  EXPECT_FALSE(within.is_taken("cpu-1"));
}

// Another user's names may hold what looks like a line of its own, and lead in a circle.
TEST(ClaimNames, ThatSomebodyHasMadeUpAreNames) {
  const std::string blanks =
      "0000000000000000: 00000002 00000000 00000000 0002 01 7777 @x 1111 @muster-cpu-0\n";
  EXPECT_FALSE(ClaimNames(blanks, {}).is_taken("cpu-0"));
  const std::string circle =
      "0000000000000000: 00000002 00000000 00000000 0002 01 1111 @muster-cpu-0\n"
      "0000000000000000: 00000002 00000000 00000000 0002 01 1111 @muster-cpu-0-of-1111\n";
  EXPECT_EQ(ClaimNames(circle, {1111}).name_of("cpu-0"), "muster-cpu-0-of-1111");
  EXPECT_TRUE(ClaimNames(circle, {1111}).is_taken("cpu-0"));
  EXPECT_TRUE(
      ClaimNames("\n @muster-cpu-0\nx @muster-cpu-1 a b c d e f g h\n\n", {}).name_of("cpu-0") ==
      "muster-cpu-0");
}

TEST(ClaimNames, OfAPartAndItsWholeAreOfOneThing) {
  constexpr const char* kParts =
      "0000000000000000: 00000002 00000000 00000000 0002 01 11 @muster-device-nvidia-a/7/0\n"
      "0000000000000000: 00000002 00000000 00000000 0002 01 12 @muster-device-nvidia-ab\n"
      "0000000000000000: 00000002 00000000 00000000 0002 01 13 @muster-device-nvidia-c\n";
  const ClaimNames names(kParts, {});
  EXPECT_TRUE(names.is_taken("device-nvidia-a") && names.is_taken("device-nvidia-a/7/0"));
  EXPECT_FALSE(names.is_taken("device-nvidia-a/8/0")) << "another part";
  EXPECT_TRUE(names.is_taken("device-nvidia-c/7/0") && names.is_taken("device-nvidia-ab/1/0"));
  EXPECT_FALSE(names.is_taken("device-nvidia-b"));
  const ClaimNames within(kParts, {11, 13});  // what an ancestor holds
  EXPECT_FALSE(within.is_taken("device-nvidia-a") || within.is_taken("device-nvidia-c/7/0"));
}

// Cpus that this machine does not have, so that no job of muster can be in the way.
class OneMachine : public testing::Test {
 protected:
  std::uint32_t base_ = 8192 + static_cast<std::uint32_t>(::getpid()) % 8000;
  CpuSet both_ = CpuSet::range(base_, base_ + 1);

  [[nodiscard]] std::vector<model::Devices> gpus(std::vector<std::uint32_t> numbers) const {
    model::Devices some{"CUDA_VISIBLE_DEVICES", {}};
    for (const std::uint32_t number : numbers) some.ids.push_back(std::to_string(base_ + number));
    return {some};
  }
};

TEST_F(OneMachine, AreOfOneJobOnly) {
  Claims first;
  EXPECT_TRUE(first.claim({CpuSet::of(base_)}));
  EXPECT_EQ(claimed_by_others(both_), CpuSet::of(base_));
  Claims second;
  EXPECT_FALSE(second.claim({both_}));
  EXPECT_EQ(claimed_by_others(both_), CpuSet::of(base_)) << "a claim that failed left a part";
  EXPECT_TRUE(second.claim({CpuSet::of(base_ + 1)}));
}

TEST_F(OneMachine, AreKeptWhenTheyAreMadeAgain) {
  Claims job;
  EXPECT_TRUE(job.claim({CpuSet::of(base_)}));
  EXPECT_TRUE(job.claim({both_}));
}

TEST_F(OneMachine, DevicesAreClaimedAsCpusAre) {
  Claims first;
  EXPECT_TRUE(first.claim({{}, gpus({0})}));
  EXPECT_EQ(claimed_by_others(gpus({0, 1})), gpus({0}));
  Claims second;
  EXPECT_FALSE(second.claim({CpuSet::of(base_), gpus({1, 0})}));
  EXPECT_TRUE(claimed_by_others(CpuSet::of(base_)).empty()) << "a claim that failed left a part";
  EXPECT_TRUE(second.claim({CpuSet::of(base_), gpus({1})}));
  EXPECT_EQ(claimed_by_others(gpus({0, 1})), gpus({0, 1}));
  EXPECT_TRUE(claimed_by_others(std::vector<model::Devices>{}).empty());
}

TEST_F(OneMachine, DevicesOfAnotherUserAreKnownByHim) {
  constexpr uid_t kOther = 54321;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  int ready[2];
  int over[2];
  ASSERT_TRUE(::pipe(ready) == 0 && ::pipe(over) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(over[1]);
    Claims claims;
    char byte = ::setuid(kOther) == 0 && claims.claim({{}, gpus({0})}) ? 'y' : 'n';
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(over[0], &byte, 1);
    ::_exit(0);
  }
  char answer = 'n';
  EXPECT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  const auto claimed = claimed_by_others(gpus({0, 1}));
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed.front().ids, gpus({0}).front().ids);
  EXPECT_EQ(claimed.front().holders, std::vector<std::uint32_t>{kOther});
  for (const int end : {ready[0], ready[1], over[0], over[1]}) ::close(end);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST_F(OneMachine, APartKeepsOthersFromTheWholeAndNotFromAnotherPart) {
  const auto parts = [&](const std::string& device, const std::string& part) {
    return std::vector{model::Devices{"CUDA_VISIBLE_DEVICES", {device + part}}};
  };
  const std::string whole = fmt::format("GPU-{}", base_);
  const auto part = [&](const char* number) { return parts("MIG-" + whole, number); };
  Claims first;
  EXPECT_TRUE(first.claim({{}, part("/1/0")}));
  Claims second;
  EXPECT_FALSE(second.claim({{}, parts(whole, "")}));
  EXPECT_TRUE(second.claim({{}, part("/2/0")}));
  EXPECT_TRUE(first.claim({{}, part("/1/0")})) << "its own";
  EXPECT_EQ(claimed_by_others(parts(whole, "")), parts(whole, ""));
  EXPECT_TRUE(claimed_by_others(part("/3/0")).empty());
}

TEST_F(OneMachine, GoWithTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    static Claims claims;
    const bool fine = claims.claim({both_});
    (void)::raise(fine ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_TRUE(claimed_by_others(both_).empty());
}

TEST_F(OneMachine, AreHandedOnToWhomTheHolderHasStarted) {
  Claims outer;
  ASSERT_TRUE(outer.claim({both_}));
  const pid_t child = ::fork();
  if (child == 0) {
    Claims inner;
    ::_exit(claimed_by_others(both_).empty() && inner.claim({both_}) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace muster::probe::claims_test
