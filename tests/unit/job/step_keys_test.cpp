// Keys of steps that others have, and what is said of those that mean nothing here.
#include <gtest/gtest.h>

#include "job/read_pipeline.hpp"

namespace muster::job {
namespace {

std::string wrong(const std::string& step) {
  const std::string pipeline = "type: pipeline\njobs:\n  one: {" + step + "}\n";
  std::string said;
  const auto nothing = [](const std::string& path) -> base::Result<std::string> {
    return base::fail(base::Fault::bad_file, "", "there is no {}", path);
  };
  for (const base::Error& error : read_pipeline(pipeline, "p", nothing).complaints) {
    said += to_string(error) + "\n";
  }
  return said;
}

constexpr const char* kComponent = "component: {type: command, command: x}";

TEST(StepKeys, AComponentSaysWhatIsRun) {
  const std::string component = kComponent;
  EXPECT_EQ(wrong(component), "");
  EXPECT_EQ(wrong(component + ", command: y"),
            "p:3:49: command: the step's component says what is run\n");
  EXPECT_EQ(wrong(component + ", code: ./src"),
            "p:3:49: code: the step's component says where its code is\n");
}

TEST(StepKeys, OtherFrameworksAndTasksAreNamed) {
  EXPECT_EQ(wrong(std::string(kComponent) + ", distribution: {type: ray}"),
            "p:3:70: distribution.type cannot be ray: muster does not start Ray clusters\n  hint: "
            "use type: mpi, and start Ray in the command: its head where RANK is 0, else a "
            "worker\n");
  EXPECT_EQ(wrong("type: promptflow_parallel"),
            "p:3:9: a prompt flow runs only in Azure ML's service\n");
}

TEST(StepKeys, WordsForPeopleAreTaken) {
  EXPECT_EQ(wrong(std::string(kComponent) + ", comment: the first, display_name: First"), "");
}

}  // namespace
}  // namespace muster::job
