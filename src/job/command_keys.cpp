// The keys of Azure ML's command jobs and command components (CLI v2).
#include "job/command_rows.hpp"

namespace muster::job {
namespace {

constexpr Traits kJobs = {.choices = "command", .required = false};

constexpr JobKey kCommandKeys[] = {
    kSchema,
    {{"type", Form::choice, "command: one command, many processes.", kJobs}},
    kName,
    kVersion,
    kDisplayName,
    kDescription,
    kComment,
    kTags,
    kProperties,
    kExperiment,
    kCommand,
    {{"code", Form::text, "The folder in which the command runs."},
     kInto<&JobFile::code>,
     kOlderCode},
    kCheckpoints,
    kEnvironment,
    kVariables,
    kUnset,
    kDialects,
    kCommandCompute,
    {{"distribution", Form::none, "How the job is spread over its nodes."},
     nullptr,
     kCommandDistribution},
    {{"resources", Form::none, "What the nodes are."}, nullptr, kCommandResources},
    {{"limits", Form::none, "What ends the job."}, nullptr, kJobLimits},
    kInputs,
    kOutputs,
    kIdentity,
    kServices,
    kQueueSettings,
    kDeterministic,
    kIncludes,
    kAzureId,
    kAutoDelete,
    {{"parent_job_name", Form::text, "The run in Azure ML that it belongs to.", kAzureOnly}},
};

}  // namespace

JobTable command_keys() { return kCommandKeys; }

}  // namespace muster::job
