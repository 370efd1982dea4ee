// Files that Azure ML's SDK writes say the same as those that people write.
#include "job/unfolded.hpp"

#include <gtest/gtest.h>

#include "job/read_job.hpp"
#include "job/read_pipeline.hpp"

namespace muster::job::unfolded_files {
namespace {

JobFile good(const std::string& text) {
  JobReading reading = read_job(text, "j");
  for (const base::Error& error : reading.complaints) ADD_FAILURE() << to_string(error);
  return std::move(reading.job);
}

PipelineReading good_sweep(const std::string& text) {
  PipelineReading reading =
      read_pipeline(text, "s.yml", [](const std::string& path) -> base::Result<std::string> {
        return base::fail(base::Fault::bad_file, "", "there is no {}", path);
      });
  for (const base::Error& error : reading.complaints) ADD_FAILURE() << to_string(error);
  return reading;
}

const Input& input_of(const JobFile& job, std::string_view name) {
  static const Input none;
  for (const Input& input : job.inputs) {
    if (input.name == name) return input;
  }
  ADD_FAILURE() << "no input " << name;
  return none;
}

constexpr const char* kWritten = R"(
component:
  name: azureml_anonymous
  version: '1'
  is_deterministic: true
  type: command
  command: train ${{inputs.epochs}} ${{inputs.data}} ${{inputs.fast}}
  display_name: lines
  distribution: {type: mpi, process_count_per_instance: 2}
  environment_variables: {A: b}
  inputs:
    epochs: {type: integer, default: '1'}
    fast: {type: boolean, default: 'False'}
    data: {type: uri_folder}
  resources: {instance_count: 2}
distribution: {type: mpi, process_count_per_instance: 4}
environment_variables: {}
inputs:
  epochs: 10
  fast: 1
  data: {type: uri_folder, path: 'azureml:/data/lines'}
parameters: {}
properties: {}
type: command
)";

TEST(Unfolded, TheComponentOfACommandBecomesTheJob) {
  const JobFile job = good(kWritten);
  EXPECT_EQ(job.command->text, "train ${{inputs.epochs}} ${{inputs.data}} ${{inputs.fast}}");
  EXPECT_FALSE(job.name);
  EXPECT_EQ(job.title->text, "lines");
  EXPECT_EQ(job.nodes->number, 2U);
  ASSERT_EQ(job.variables.size(), 1U);
}

TEST(Unfolded, WhatTheJobSaysTakesThePlaceOfWhatItsComponentSays) {
  EXPECT_EQ(good(kWritten).per_node->number, 4U);
}

TEST(Unfolded, ValuesBelongToTheInputsThatTheComponentDeclares) {
  const JobFile job = good(kWritten);
  EXPECT_EQ(input_of(job, "epochs").value->text, "10");
  EXPECT_EQ(input_of(job, "epochs").type->text, "integer");
  EXPECT_EQ(input_of(job, "fast").value->text, "True");
  EXPECT_EQ(input_of(job, "data").value->text, "/data/lines");
}

TEST(Unfolded, DataInAzureStaysThere) {
  const JobReading reading = read_job(
      "type: command\ncommand: ls ${{inputs.a}}\n"
      "inputs: {a: {type: uri_folder, path: 'azureml://datastores/x/paths/y'}}\n",
      "j");
  EXPECT_EQ(input_of(reading.job, "a").value->text, "azureml://datastores/x/paths/y");
}

TEST(Unfolded, ATrialMayBeAComponentWhoseInputsVary) {
  const PipelineReading reading = good_sweep(R"(
type: sweep
trial:
  name: azureml_anonymous
  version: '1'
  is_deterministic: true
  type: command
  command: train ${{inputs.lr}} ${{ inputs.epochs }}
  inputs: {lr: {type: number, default: '0.5'}, epochs: {type: integer, default: '3'}}
search_space: {lr: {type: choice, values: [0.1, 0.2]}}
objective: {goal: minimize, primary_metric: loss}
sampling_algorithm: grid
inputs: {}
)");
  ASSERT_EQ(reading.pipeline.root.steps.size(), 1U);
  EXPECT_EQ(reading.pipeline.root.steps[0].job.command->text,
            "train ${{search_space.lr}} ${{ inputs.epochs }}");
  EXPECT_EQ(input_of(reading.pipeline.root.head, "epochs").value->text, "3");
}

}  // namespace
}  // namespace muster::job::unfolded_files
