// Lines of #SBATCH, and what goes before them.
#include "batch/slurm_script.hpp"

#include <gtest/gtest.h>

#include "batch/script.hpp"
#include "batch/slurm.hpp"

namespace muster::batch {
namespace {

bool has_line(const std::string& script, const std::string& line) {
  return script.find("\n" + line + "\n") != std::string::npos;
}

TEST(SlurmScript, DoublesBackslashesForSbatchAlone) {
  Wish wish;
  wish.raw = {{"comment", R"(a\b 'c' # d)"}};
  wish.command = {"muster", R"(a\b)"};
  const std::string script = slurm_script(wish);
  EXPECT_TRUE(has_line(script, R"(#SBATCH --comment='a\\b '\''c'\'' # d')")) << script;
  EXPECT_TRUE(has_line(script, R"(exec muster 'a\b')")) << script;
}

TEST(SlurmScript, IsOfALoginShellWhereThereIsSetup) {
  Wish wish;
  wish.command = {"muster"};
  EXPECT_TRUE(slurm_script(wish).starts_with("#!/bin/sh\n"));
  wish.setup = {"module load cuda"};
  EXPECT_TRUE(slurm_script(wish).starts_with("#!/bin/bash -l\n"));
}

TEST(SlurmScript, TellsWhetherItsJobMayBeQueuedAgain) {
  Wish wish;
  wish.command = {"muster"};
  EXPECT_FALSE(kSlurm.may_queue_again(slurm_script(wish), 143));
  wish.options = {{"requeue", "false"}};
  EXPECT_FALSE(kSlurm.may_queue_again(slurm_script(wish), 143));
  wish.options = {{"requeue", "true"}};
  EXPECT_TRUE(kSlurm.may_queue_again(slurm_script(wish), 143));
  wish.options = {};
  wish.raw = {{"requeue", "true"}};
  EXPECT_TRUE(kSlurm.may_queue_again(slurm_script(wish), 143));
}

TEST(ScriptLines, AreSingleOnes) {
  Wish wish;
  wish.name = "hello";
  EXPECT_TRUE(check_lines(wish));
  wish.folder = "/home/ada/a\n#SBATCH --wrap=x";
  EXPECT_EQ(base::to_string(check_lines(wish).error()),
            "the folder in which it runs has a line break in its name\n"
            "  hint: it becomes a line of the script: rename it");
}

TEST(SlurmVariables, GoWithTheJobWhereTheScriptLeavesThemTheSay) {
  const auto overrides = [](std::string_view name, std::string_view script = "#!/bin/sh\n") {
    return kSlurm.overrides(name, script);
  };
  for (const char* harmful : {"SBATCH_ARRAY_INX", "SBATCH_WAIT", "SBATCH_OUTPUT", "SBATCH_CLUSTERS",
                              "SBATCH_JOB_NAME", "SBATCH_REQUEUE"}) {
    EXPECT_TRUE(overrides(harmful)) << harmful;
  }
  EXPECT_FALSE(overrides("SBATCH_ACCOUNT"));
  EXPECT_FALSE(overrides("SBATCH_TIMELIMIT"));
  EXPECT_TRUE(overrides("SBATCH_TIMELIMIT", "#!/bin/sh\n#SBATCH --time=3\n"));
  EXPECT_FALSE(overrides("SBATCH_QOS", "#!/bin/sh\n#SBATCH --time=3\n"));
  EXPECT_FALSE(overrides("PATH"));
  EXPECT_TRUE(kSlurm.is_of_job("SLURM_CLUSTERS"));
  EXPECT_FALSE(kSlurm.is_of_job("SLURM_CONF"));
}

}  // namespace
}  // namespace muster::batch
