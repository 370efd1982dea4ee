// Which task of a step muster is, by Slurm's variables.
#include "spec/step_place.hpp"

#include <gtest/gtest.h>
#include <map>

namespace muster::spec::step_place_test {
namespace {

using Around = std::map<std::string, std::string, std::less<>>;

Around of_task(const std::string& number) {
  return {{"SLURM_JOB_ID", "12"},
          {"SLURM_STEP_ID", "3"},
          {"SLURM_STEP_NODELIST", "b,c"},
          {"SLURM_STEP_NUM_TASKS", "2"},
          {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
          {"SLURM_PROCID", number}};
}

base::Result<std::optional<model::StepPlace>> place(const Around& around) {
  return step_place([&](std::string_view name) -> std::optional<std::string_view> {
    const auto found = around.find(name);
    return found == around.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  });
}

std::string complaint(const Around& around) {
  const auto made = place(around);
  return made ? "none" : made.error().what;
}

TEST(StepPlace, IsThatOfATask) {
  const auto made = place(of_task("1"));
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, (model::StepPlace{"12.3", "b", 2, 1, false}));
}

TEST(StepPlace, IsNoneOutsideAStepBelowAHeadAndInAFlux) {
  EXPECT_EQ(*place({}), std::nullopt);
  for (const char* name : {"MUSTER_HEAD", "FLUX_URI"}) {
    Around around = of_task("0");
    around[name] = "x";
    EXPECT_EQ(*place(around), std::nullopt) << name;
  }
  Around alone = of_task("0");
  alone["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_EQ(*place(alone), std::nullopt);
}

TEST(StepPlace, KnowsTheTerminalOfTheFirst) {
  Around shell = of_task("0");
  shell["SLURM_PTY_PORT"] = "40000";
  EXPECT_EQ(*place(shell), std::nullopt);
  shell["SLURM_PROCID"] = "1";
  ASSERT_TRUE(*place(shell));
  EXPECT_TRUE((*place(shell))->is_beside_terminal);
}

TEST(StepPlace, IsRefusedWhereAHostHasSeveralTasksOrTheWordsAreOdd) {
  Around several = of_task("0");
  several["SLURM_STEP_TASKS_PER_NODE"] = "2,1";
  EXPECT_EQ(complaint(several),
            "this muster is one of 2 tasks of a Slurm step, and each would start all ranks");
  EXPECT_EQ(complaint(of_task("x")),
            "SLURM_PROCID must be a whole number from 0 to 1000000, not 'x'");
  Around odd = of_task("0");
  odd["SLURM_STEP_NODELIST"] = "";
  EXPECT_NE(complaint(odd), "none");
}

}  // namespace
}  // namespace muster::spec::step_place_test
