// Names of steps' records: below their pipeline's.
#include <gtest/gtest.h>

#include "store/folder.hpp"

namespace muster::store::step_folders_test {
namespace {

TEST(StepFolders, LieBelowThatOfThePipeline) {
  const std::string folder = step_folder("/runs/20261121-212530.123-kufari", "prepare.clean");
  EXPECT_EQ(folder, "/runs/20261121-212530.123-kufari/steps/prepare.clean");
  EXPECT_EQ(run_of(folder), "20261121-212530.123-kufari/prepare.clean");
  EXPECT_EQ(run_of(step_folder(folder, "trial_0")),
            "20261121-212530.123-kufari/prepare.clean/trial_0");
  EXPECT_EQ(run_of("/runs/20261121-kufari"), "20261121-kufari");
  EXPECT_EQ(run_of("/my/steps/runs/20261121-kufari"), "20261121-kufari");
  EXPECT_EQ(run_of("/x/steps/20261121-212530.123-kufari"), "20261121-212530.123-kufari");
}

TEST(StepFolders, AreFoundByTheirNames) {
  const std::vector<std::string> names = {"prepare", "train", "train-2"};
  EXPECT_EQ(find_step(names, "train"), "train");
  EXPECT_EQ(find_step(names, "pre"), "prepare");
  EXPECT_EQ(find_step(names, "trai").error().what, "2 steps are called trai...");
  EXPECT_EQ(find_step(names, "trian").error().hint, "did you mean train?");
  EXPECT_TRUE(step_names("/nowhere").empty());
}

}  // namespace
}  // namespace muster::store::step_folders_test
