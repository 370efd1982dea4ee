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

PipelineReading steps_of(const std::string& text) {
  return read_pipeline(text, "s.yml", [](const std::string& path) -> base::Result<std::string> {
    return base::fail(base::Fault::bad_file, "", "there is no {}", path);
  });
}

PipelineReading good_steps(const std::string& text) {
  PipelineReading reading = steps_of(text);
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
  const PipelineReading reading = good_steps(R"(
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

// A function's parameter `fast` without an annotation, in the pipeline that it has become.
std::string without_annotation(const std::string& component, const std::string& bound) {
  return R"(
type: pipeline
inputs: {quick: 0, data: {type: uri_folder, path: 'azureml:./src'}}
jobs:
  part:
    type: pipeline
    inputs: {fast: {path: '${{parent.inputs.quick}}'}, data: {path: '${{parent.inputs.data}}'}}
    component:
      type: pipeline
)" + component +
         R"(
      jobs:
        step:
          type: command
          inputs: {fast: )" +
         bound + R"(, also: 1}
          component:
            name: one
            type: command
            command: train ${{inputs.fast}} ${{inputs.also}}
            inputs: {fast: {type: boolean}, also: {type: boolean, default: 'False'}}
)";
}

constexpr const char* kDeclared = "      name: part\n      inputs: {data: {type: uri_folder}}";

TEST(Unfolded, AnInputWithoutAnAnnotationIsOneOfItsPipeline) {
  const PipelineReading reading =
      good_steps(without_annotation(kDeclared, "{path: '${{parent.inputs.fast}}'}"));
  const Pipeline& root = reading.pipeline.root;
  EXPECT_EQ(input_of(root.head, "quick").value->text, "False");
  EXPECT_EQ(input_of(root.head, "data").value->text, "./src");
  ASSERT_EQ(root.steps.size(), 1U);
  const Step& part = root.steps[0];
  EXPECT_EQ(input_of(part.job, "fast").value->text, "${{parent.inputs.quick}}");
  EXPECT_EQ(input_of(part.job, "fast").type->text, "boolean");
  ASSERT_NE(part.pipeline, nullptr);
  EXPECT_EQ(input_of(part.pipeline->steps[0].job, "also").value->text, "True");
}

TEST(Unfolded, WhatPeopleHaveMisspeltIsTold) {
  for (const auto& [component, bound] :
       {std::pair{kDeclared, "'${{parent.inputs.fast}}'"},
        std::pair{kDeclared, "'${{parent.inputs.fats}}'"},
        std::pair{"      inputs: {data: {type: uri_folder}}", "'${{parent.inputs.fast}}'"}}) {
    const PipelineReading reading = steps_of(without_annotation(component, bound));
    EXPECT_FALSE(reading.complaints.empty()) << component << bound;
  }
  const PipelineReading unbound =
      steps_of(without_annotation(kDeclared, "{path: '${{parent.inputs.quick}}'}"));
  EXPECT_FALSE(unbound.complaints.empty());  // the step has given `fast`, which nothing uses
}

}  // namespace
}  // namespace muster::job::unfolded_files
