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
    kTags,
    {{"properties", Form::anything, "Settings of Azure ML's service.", kAzureOnly}},
    kExperiment,
    kCommand,
    {{"code", Form::text, "The folder in which the command runs."},
     kInto<&JobFile::code>,
     kOlderCode},
    kCheckpoints,
    kEnvironment,
    kVariables,
    kCommandCompute,
    {{"distribution", Form::none, "How the job is spread over its nodes."},
     nullptr,
     kCommandDistribution},
    {{"resources", Form::none, "What the nodes are."}, nullptr, kCommandResources},
    {{"limits", Form::none, "What ends the job."}, nullptr, kJobLimits},
    kInputs,
    kOutputs,
    {{"identity", Form::anything, "Whom the job acts for in Azure.", kAzureOnly}},
    {{"services", Form::anything, "Programs for people beside the job.", kAzureOnly}},
    {{"queue_settings", Form::anything, "The job's place in Azure's queue.", kAzureOnly}},
    kDeterministic,
    {{"additional_includes", Form::anything, "More files for Azure ML to copy.", kAzureOnly}},
};

}  // namespace

JobTable command_keys() { return kCommandKeys; }

}  // namespace muster::job
