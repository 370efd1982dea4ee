// The keys of Azure ML's pipelines, and of steps that name a component (CLI v2).
#include "job/pipeline_keys.hpp"

#include <algorithm>

#include "job/command_rows.hpp"

namespace muster::job {
namespace {

// ---- what a step says takes the place of what its component says ----

// Without a type, only counts change.
void start_distribution(JobFile& job, const Found& found) {
  if (find(found.node, "type") == nullptr) return;
  job.frameworks.clear();
  job.per_node.reset();
  job.processes.reset();
  job.workers.count.reset();
  job.servers.count.reset();
}

void replace_environment(JobFile& job, const Found& found) {
  job.environment.clear();
  job.image.reset();
  job.environment_name.reset();
  job.conda.reset();
  job.build.reset();
  job.dockerfile.reset();
  store(job.environment, found);
}

template <auto Member>
void replace_named(JobFile& job, const Found& found) {
  std::erase_if(job.*Member, [&](const Named& one) { return one.name == found.key; });
  store(job.*Member, found);
}

constexpr JobKey kStepDistributionKeys[] = {
    {{"type",
      Form::choice,
      "What the processes expect to find in their environment (default: that of the component).",
      {.choices = kDistributions, .any_case = true, .not_here = kRay}},
     choose_by_word},
    kCommandDistribution[1],
    kCommandDistribution[2],
    kCommandDistribution[3],
    kCommandDistribution[4],
    kCommandDistribution[5],
    kCommandDistribution[6],
    kCommandDistribution[7],
    kCommandDistribution[8],
    kCommandDistribution[9],
};
constexpr JobKey kStepDistribution = {
    {"distribution", Form::none, "How the step is spread over its nodes."},
    start_distribution,
    kStepDistributionKeys};
constexpr JobKey kStepEnvironment = {
    {"environment", Form::text, "The software that the step needs."},
    replace_environment,
    kEnvironmentKeys};
constexpr JobKey kStepVariables = {
    {"environment_variables", Form::text, "Variables of the step's processes.", {.each = true}},
    replace_named<&JobFile::variables>};

// ---- keys that all steps and pipelines have ----

constexpr JobKey kComponent = {
    {"component", Form::anything, "What it runs: the file of a component, or the component."}};
constexpr JobKey kNoTags = {{"tags", Form::anything, "Names and values to find it by."}};
constexpr JobKey kNoName = {{"name", Form::text, "Its name in Azure ML."}};
constexpr Traits kOnePlace = {.support = no_effect("a pipeline's runs belong to its experiment")};
constexpr JobKey kNoExperiment = {
    {"experiment_name", Form::text, "The experiment it belongs to.", kOnePlace}};

constexpr Traits kItsCommand = {.support = refused("the step's component says what is run")};
constexpr Traits kItsCode = {.support = refused("the step's component says where its code is")};

constexpr JobKey kStepKeys[] = {
    kSchema,
    {{"command", Form::text, "What to run: of the component.", kItsCommand}},
    {{"code", Form::text, "The folder of that: of the component.", kItsCode}},
    {{"type", Form::text, "command: one command, many processes."}},
    kComponent,
    kComment,
    kNoName,
    kVersion,
    kDisplayName,
    kDescription,
    kNoTags,
    kProperties,
    kNoExperiment,
    kInputs,
    kOutputs,
    kCommandCompute,
    kStepDistribution,
    {{"resources", Form::none, "What its nodes are."}, nullptr, kCommandResources},
    {{"limits", Form::none, "What ends it."}, nullptr, kJobLimits},
    kStepEnvironment,
    kStepVariables,
    kIdentity,
    kServices,
    kQueueSettings,
    kDeterministic,
};

// ---- pipelines ----

constexpr JobKey kSettings[] = {
    {{"default_compute", Form::text, "Where steps run that name no compute."},
     kInto<&JobFile::flow, &Flow::target>},
    {{"default_datastore", Form::text, "Where Azure ML keeps outputs.", kAzureOnly},
     kInto<&JobFile::flow, &Flow::store>},
    {{"environment", Form::anything, "The image of steps that name none.", kAzureOnly}},
    {{"continue_on_step_failure", Form::boolean,
      "Whether steps still start that do not depend on one that failed."},
     kInto<&JobFile::flow, &Flow::goes_on>},
    {{"force_rerun", Form::boolean, "Whether steps run although they did before."},
     kInto<&JobFile::flow, &Flow::force_rerun>},
    {{"continue_on_failed_optional_input", Form::boolean,
      "Whether a step starts without an input that failed.", kAzureOnly}},
    {{"on_init", Form::text, "The step that all others wait for."},
     kInto<&JobFile::flow, &Flow::first>},
    {{"on_finalize", Form::text, "The step that runs last, whatever has become of the others."},
     kInto<&JobFile::flow, &Flow::last>},
};
constexpr JobKey kFlow = {
    {"settings", Form::none, "What goes for all its steps.", {.open = true}}, nullptr, kSettings};

constexpr Traits kNotLater = {.support = no_effect("it starts now; cron can call muster submit")};

constexpr JobKey kPipelineKeys[] = {
    kSchema,
    {{"type",
      Form::choice,
      "pipeline: steps, each a job of its own.",
      {.choices = "pipeline", .any_case = true}}},
    kName,
    kVersion,
    kDisplayName,
    kDescription,
    kTags,
    kProperties,
    kExperiment,
    kCommandCompute,
    kFlow,
    kInputs,
    kOutputs,
    {{"jobs", Form::anything, "The steps, by their names."}},
    {{"schedule", Form::anything, "When Azure ML starts it.", kNotLater}},
    kComponent,
    kComment,
    kAzureId,
    kAutoDelete,
    kIdentity,
    kServices,
    kDeterministic,
};

constexpr JobKey kPipelineStepKeys[] = {
    kSchema,       {{"type", Form::text, "pipeline: steps, each a job of its own."}},
    kComponent,    kNoName,
    kComment,      kVersion,
    kDisplayName,  kDescription,
    kNoTags,       kProperties,
    kNoExperiment, kCommandCompute,
    kFlow,         kInputs,
    kOutputs,      kIdentity,
    kServices,     kDeterministic,
};

}  // namespace

JobTable pipeline_keys() { return kPipelineKeys; }
JobTable step_keys() { return kStepKeys; }
JobTable pipeline_step_keys() { return kPipelineStepKeys; }

}  // namespace muster::job
