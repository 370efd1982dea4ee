// The keys of parallel jobs, of their components, and of steps that name one (CLI v2).
#include "job/command_rows.hpp"
#include "job/pipeline_keys.hpp"

namespace muster::job {
namespace {

template <auto Member>
void into_parallel(JobFile& job, const Found& found) {
  if (!job.parallel) job.parallel.emplace();
  store((*job.parallel).*Member, found);
}

constexpr Traits kFixed = {.fixed = true};

constexpr NotHere kModelTask = {"model", "a batch goes to a function, not to a model",
                                "write type: run_function, and the script as entry_script"};
constexpr JobKey kTask[] = {
    {{"type",
      Form::choice,
      "run_function.",
      {.choices = "run_function function", .any_case = true, .not_here = kModelTask}}},
    {{"code", Form::text, "The folder of the script."}, into_parallel<&Parallel::code>},
    {{"entry_script",
      Form::text,
      "The script, with init() and run().",
      {.required = true, .fixed = true}},
     into_parallel<&Parallel::script>},
    {{"program_arguments", Form::text, "Its arguments, as a shell reads them.", kFixed},
     into_parallel<&Parallel::arguments>},
    {{"args", Form::text, "The same, in older files.", kFixed},
     into_parallel<&Parallel::arguments>},
    {{"append_row_to", Form::text, "The output to which results are appended.", kFixed},
     into_parallel<&Parallel::append_to>},
    {{"model", Form::anything, "A model of Azure ML.", kAzureOnly}},
    kEnvironment,
};
constexpr JobKey kTaskOfJob = {
    {"task", Form::none, "What is called with each batch.", {.required = true}}, nullptr, kTask};
constexpr JobKey kTaskOfStep = {
    {"task", Form::none, "What is called with each batch."}, nullptr, kTask};

constexpr JobKey kRetries[] = {
    {{"max_retries", Form::integer, "How often a batch is tried again."},
     into_parallel<&Parallel::retries>},
    {{"timeout", Form::number, "Seconds after which a batch has failed.", {.positive = true}},
     into_parallel<&Parallel::batch_timeout>},
};

constexpr JobKey kData = {{"input_data", Form::text, "The input that is cut into batches.", kFixed},
                          into_parallel<&Parallel::data>};
constexpr JobKey kBatchSize = {{"mini_batch_size", Form::batch, "Files or bytes of a batch."},
                               into_parallel<&Parallel::batch_size>};
constexpr JobKey kPartition = {{"partition_keys",
                                Form::text,
                                "Columns of a table: a batch for each combination of their values.",
                                {.listed = true, .fixed = true}},
                               into_parallel<&Parallel::partition_keys>};
constexpr JobKey kPerInstance = {
    {"max_concurrency_per_instance", Form::count, "Processes on each node."},
    into_parallel<&Parallel::per_node>};
constexpr JobKey kItemErrors = {
    {"error_threshold", Form::integer, "How many items may fail; -1: any number.", {.lowest = -1}},
    into_parallel<&Parallel::items_may_fail>};
constexpr JobKey kBatchErrors = {{"mini_batch_error_threshold",
                                  Form::integer,
                                  "How many batches may fail; -1: any number.",
                                  {.lowest = -1}},
                                 into_parallel<&Parallel::batches_may_fail>};
constexpr JobKey kLogging = {{"logging_level", Form::text, "DEBUG, INFO, WARNING ..."},
                             into_parallel<&Parallel::logging_level>};
constexpr JobKey kRetrySettings = {
    {"retry_settings", Form::none, "What becomes of a failed batch."}, nullptr, kRetries};
constexpr JobKey kParallelType = {{"type", Form::text, "parallel: a function and its batches."}};
constexpr JobKey kNodesOfIt = {
    {"resources", Form::none, "What its nodes are."}, nullptr, kCommandResources};
constexpr JobKey kEndOfIt = {{"limits", Form::none, "What ends it."}, nullptr, kJobLimits};

constexpr JobKey kParallelKeys[] = {
    kSchema,
    kParallelType,
    kName,
    kVersion,
    kDisplayName,
    kDescription,
    kTags,
    kProperties,
    kExperiment,
    kInputs,
    kOutputs,
    kCommandCompute,
    kNodesOfIt,
    kEndOfIt,
    kEnvironment,
    kVariables,
    kUnset,
    kDialects,
    kData,
    kBatchSize,
    kPartition,
    kPerInstance,
    kItemErrors,
    kBatchErrors,
    kLogging,
    kRetrySettings,
    kTaskOfJob,
    kIdentity,
    kDeterministic,
    {{"code", Form::text, "The folder of the script."}, into_parallel<&Parallel::code>},
    kComment,
    kServices,
    kAzureId,
    kAutoDelete,
};

constexpr JobKey kParallelStepKeys[] = {
    kSchema,
    kParallelType,
    {{"component", Form::anything, "What it runs: a component's file, or the component."}},
    kComment,
    {{"name", Form::text, "Its name in Azure ML."}},
    kVersion,
    kDisplayName,
    kDescription,
    {{"tags", Form::anything, "Names and values to find it by."}},
    kProperties,
    kInputs,
    kOutputs,
    kCommandCompute,
    kNodesOfIt,
    kEndOfIt,
    kVariables,
    kUnset,
    kDialects,
    kData,
    kBatchSize,
    kPartition,
    kPerInstance,
    kItemErrors,
    kBatchErrors,
    kLogging,
    kRetrySettings,
    kTaskOfStep,
    kIdentity,
    kDeterministic,
};

}  // namespace

JobTable parallel_keys() { return kParallelKeys; }
JobTable parallel_step_keys() { return kParallelStepKeys; }

}  // namespace muster::job
