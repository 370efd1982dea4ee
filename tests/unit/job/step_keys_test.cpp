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

TEST(StepKeys, SettingsOfParallelStepsAreJudgedBeforeTheyRun) {
  const std::string step =
      "type: parallel, inputs: {d: {type: uri_folder, path: d}}, input_data: '${{inputs.d}}', "
      "task: {type: run_function, entry_script: a.py}, ";
  for (const char* fine :
       {"mini_batch_size: 5", "mini_batch_size: 10kb", "mini_batch_size: '1.5 MB'",
        "mini_batch_size: '${{inputs.n}}'", "mini_batch_error_threshold: -1", "error_threshold: 0",
        "max_concurrency_per_instance: 2", "retry_settings: {max_retries: 0, timeout: 0.5}",
        "limits: {timeout: 60}"}) {
    EXPECT_EQ(wrong(step + fine), "");
  }
  const auto says = [&](const std::string& key, const std::string& what) {
    const std::string said = wrong(step + key);
    EXPECT_NE(said.find(" " + what + "\n"), std::string::npos) << key << ": " << said;
  };
  for (const char* odd : {"0", "-5", "10pb", "many", "0.5", "5."}) {
    says(std::string("mini_batch_size: ") + odd,
         std::string("mini_batch_size must be a number of files, or of bytes such as 10kb, not '") +
             odd + "'");
  }
  says("mini_batch_error_threshold: 1.5",
       "mini_batch_error_threshold must be a whole number from -1 to 2147483647, not '1.5'");
  says("error_threshold: -2",
       "error_threshold must be a whole number from -1 to 2147483647, not '-2'");
  says("max_concurrency_per_instance: 0",
       "max_concurrency_per_instance must be a whole number from 1 to 1000000, not '0'");
  says("error_threshold: 3000000000",
       "error_threshold must be a whole number from -1 to 2147483647, not '3000000000'");
  says("retry_settings: {max_retries: -1}",
       "retry_settings.max_retries must be a whole number from 0 to 2147483647, not '-1'");
  says("retry_settings: {timeout: 0}", "retry_settings.timeout must be a number above 0, not '0'");
  says("limits: {timeout: 0}", "limits.timeout must be a number above 0, not '0'");
}

// Azure ML passes on whatever stands there.
TEST(StepKeys, SettingsOfAPipelineThatNobodyKnowsAreTold) {
  const PipelineReading read = read_pipeline(
      "type: pipeline\nsettings: {default_compute: local, force_rerum: true, _x: 1}\n"
      "jobs: {a: {command: x}}\n",
      "p", nullptr);
  EXPECT_TRUE(read.complaints.empty());
  EXPECT_EQ(read.notices,
            (std::vector<std::string>{
                "settings.force_rerum has no effect here: muster does not know it; did you mean "
                "force_rerun?",
                "settings._x has no effect here: muster does not know it"}));
}

TEST(StepKeys, WordsForPeopleAreTaken) {
  EXPECT_EQ(wrong(std::string(kComponent) + ", comment: the first, display_name: First"), "");
}

}  // namespace
}  // namespace muster::job
