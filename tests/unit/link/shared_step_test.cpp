// The words of one srun for several hosts, and what is read from its stderr.
#include "link/shared_step.hpp"

#include <gtest/gtest.h>

namespace muster::link {
namespace {

using Words = std::vector<std::string>;

TEST(SharedStepWords, StartOneAgentOnEachHost) {
  EXPECT_EQ(
      shared_step_words({}, std::nullopt, {"n1", "n2"}, "muster", "/m"),
      (Words{"srun", "--nodes=2", "--ntasks=2", "--ntasks-per-node=1", "--nodelist=n1,n2",
             "--overlap", "--label", "--input=all", "--mpi=none", "--cpu-bind=none", "--no-kill",
             "--kill-on-bad-exit=0", "--wait=0", "--job-name=muster", "/m", "agent", "called"}));
  EXPECT_EQ(shared_step_words({}, 1, {"n1"}, "muster", "/m")[1], "--het-group=1");
}

TEST(HeadCall, ComesBackFromItsLine) {
  const HeadCall call{40000, std::chrono::milliseconds(2500), "0123456789abcdef"};
  std::string line = call_line(call);
  ASSERT_EQ(line.back(), '\n');
  line.pop_back();
  EXPECT_EQ(read_call(line), call);
}

TEST(HeadCall, IsNothingElse) {
  for (const std::string_view line :
       {"", "muster-step 2 ", "muster-step 2 80", "muster-step 2 80 9", "muster-step 2 80 9 ",
        "muster-step 2 0 9 x", "muster-step 2 65536 9 x", "muster-step 1 80 x",
        "muster-step 2 -1 9 x", "muster-step 2 80 -9 x", "muster-step 2 80 x"}) {
    EXPECT_EQ(read_call(line), std::nullopt) << line;
  }
  EXPECT_NE(read_call("muster-step 2 80 9 x"), std::nullopt);
  EXPECT_EQ(read_call("muster-step 2 80 9 " + std::string(kCallMax, 'x')), std::nullopt);
}

TEST(CallPatience, GrowsWithTheHostsToHalfOfTheStart) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  EXPECT_EQ(call_patience(2, seconds(15)), milliseconds(2010));
  EXPECT_EQ(call_patience(1000, seconds(15)), milliseconds(7000));
  EXPECT_EQ(call_patience(10'000, seconds(15)), milliseconds(7500));
  EXPECT_EQ(call_patience(1000, seconds(1)), seconds(2));
}

TEST(StepErrors, AreToldApart) {
  StepErrors errors({"n1", "n2", "n3"});
  errors.know("n1", 0);
  errors.know("n2", 2);
  errors.take("0: muster agent: a\n2: muster agent: b\nsrun: error: n2: task 2: Killed\n");
  errors.take("srun: Terminating StepId=4.0\n 1: slurmstepd: error: execve(): no\nnot whole");
  EXPECT_EQ(errors.about("n1"),
            "muster agent: a\nsrun: Terminating StepId=4.0\n"
            "slurmstepd: error: execve(): no\n");
  EXPECT_EQ(errors.about("n2"),
            "muster agent: b\nsrun: error: n2: task 2: Killed\n"
            "srun: Terminating StepId=4.0\nslurmstepd: error: execve(): no\n");
  EXPECT_EQ(errors.last_words("n3"), "slurmstepd: error: execve(): no");
  errors.know("n3", 1);
  EXPECT_EQ(errors.last_words("n1"), "muster agent: a");
  EXPECT_EQ(errors.about("n1"), "muster agent: a\nsrun: Terminating StepId=4.0\n");
}

TEST(StepErrors, TellWhoseTaskHasEnded) {
  StepErrors errors({"n1", "n2"});
  errors.take("srun: error: n2: task 1: Exited with exit code 127\n0: error: n1: task 0: no\n");
  EXPECT_TRUE(errors.has_ended("n2"));
  EXPECT_FALSE(errors.has_ended("n1"));
  EXPECT_FALSE(errors.has_ended("2"));
  errors.take("srun: launch failed\n");
  EXPECT_EQ(StepErrors({"n1"}).last_words("n1"), "");
}

TEST(StepErrors, TellWhoCannotConnect) {
  StepErrors errors({"n1", "n2"});
  errors.take("1: " + uncalled_line("n2", "the head at 10.0.0.1:7: refused") + "\n");
  EXPECT_EQ(errors.uncalled("n1"), std::nullopt);
  EXPECT_EQ(errors.uncalled("n2"), "the head at 10.0.0.1:7: refused");
}

TEST(StepErrors, HoldSoMuch) {
  StepErrors errors({"n1"});
  for (int i = 0; i < 2000; ++i) errors.take("line\n");
  EXPECT_EQ(errors.about("n1").size(), 512 * 5U);
  errors.take(std::string(100'000, 'x'));
  EXPECT_LT(errors.about("n1").size(), 200'000U);
}

}  // namespace
}  // namespace muster::link
