// Variables of Azure ML that a command reads and nothing sets.
#include "job/unset_variables.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace muster::job {
namespace {

std::vector<UnsetVariable> unset(std::string_view command) {
  return unset_variables(
      command, [](std::string_view name) { return std::ranges::count(kAzureVariables, name) > 0; });
}

TEST(UnsetVariables, AreThoseOfAzureThatNothingSets) {
  EXPECT_EQ(unset("python t.py --rank $AZ_BATCHAI_TASK_INDEX --hosts \"$AZ_BATCHAI_PS_HOSTS\""),
            (std::vector<UnsetVariable>{{"AZ_BATCHAI_PS_HOSTS", "$AZ_BATCHAI_PS_HOSTS", 0}}));
  EXPECT_EQ(unset("echo $MINE $AZ ${AZUREML_RUN_ID} $AZUREML_RUN_ID"),
            (std::vector<UnsetVariable>{{"AZUREML_RUN_ID", "${AZUREML_RUN_ID}", 0}}));
  EXPECT_EQ(unset("a $AZUREML_ABC\nb $AZUREML_AB"),
            (std::vector<UnsetVariable>{{"AZUREML_ABC", "$AZUREML_ABC", 0},
                                        {"AZUREML_AB", "$AZUREML_AB", 1}}));
  EXPECT_EQ(unset("bash -lc 'cd x; echo $AZUREML_A'"),
            (std::vector<UnsetVariable>{{"AZUREML_A", "$AZUREML_A", 0}}));
  EXPECT_EQ(unset("# it's $AZUREML_A\necho \"it's\" $AZUREML_A ${#X}"),
            (std::vector<UnsetVariable>{{"AZUREML_A", "$AZUREML_A", 1}}));
}

TEST(UnsetVariables, AreNoneThatNoShellReads) {
  for (const char* command : {"awk '{print $AZUREML_A}' x", "python -c 'print(\"$AZUREML_A\")'",
                              "echo \\$AZUREML_A", "echo \"\\$AZUREML_A\"",
                              "cat <<'EOF'\n$AZUREML_A\nEOF\n", "x # $AZUREML_A", "# $AZUREML_A"}) {
    EXPECT_TRUE(unset(command).empty()) << command;
  }
}

TEST(UnsetVariables, AreNoneThatTheCommandMaySet) {
  for (const char* command :
       {"export AZUREML_A=1; echo $AZUREML_A", "read AZUREML_A; echo $AZUREML_A",
        "echo ${AZUREML_A:-1}", "[ -z ${AZUREML_A+x} ] || echo $AZUREML_A",
        "source env.sh && echo $AZUREML_A", ". ./env.sh; echo $AZUREML_A",
        "export 'AZUREML_A=1'; echo $AZUREML_A", "export $(cat .env); echo $AZUREML_A",
        "conda activate x && echo $AZUREML_A", "bash -c 'eval \"$X\"; echo $AZUREML_A'",
        "echo AZUREML_A $", ""}) {
    EXPECT_TRUE(unset(command).empty()) << command;
  }
}

}  // namespace
}  // namespace muster::job
