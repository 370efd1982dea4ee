// The keys of Azure ML's command jobs and command components (CLI v2).
#include "job/shared_keys.hpp"

namespace muster::job {
namespace {

constexpr JobKey kCommandDistribution[] = {
    kDistributionType,
    {{"process_count_per_instance", Form::count, "Processes on each node (default 1)."},
     kInto<&JobFile::per_node>},
    {{"worker_count", Form::count, "tensorflow: workers (default: one on each node)."},
     kInto<&JobFile::workers, &Role::count>},
    {{"parameter_server_count",
      Form::count,
      "tensorflow: parameter servers (default 0).",
      {.least = 0}},
     kInto<&JobFile::servers, &Role::count>},
};

constexpr Traits kDockerArgs = {.listed = true, .support = kNoEngine.support};

constexpr JobKey kCommandResources[] = {
    {{"instance_count", Form::count, "How many nodes (default 1)."}, kInto<&JobFile::nodes>},
    {{"instance_type", Form::text, "The machine size."}, kInto<&JobFile::instance_type>},
    {{"shm_size", Form::quantity, "Shared memory of the container.", kNoEngine}},
    {{"docker_args", Form::text, "More words for docker run.", kDockerArgs}},
    {{"properties", Form::anything, "Settings of Azure ML's service.", kAzureOnly}},
    {{"locations", Form::anything, "Azure's regions.", kAzureOnly}},
};

constexpr JobKey kJobLimits[] = {
    {{"timeout", Form::number, "Seconds after which the job is ended."}, kInto<&JobFile::timeout>},
};

// As files of the first preview have them.
constexpr JobKey kOlderCode[] = {
    {{"path", Form::text, "The folder, as seen from the job file."}, kInto<&JobFile::code>},
    {{"local_path", Form::text, "The same, in older files."}, kInto<&JobFile::code>},
};

constexpr JobKey kOlderCompute[] = {
    {{"target", Form::text, "Where to run."}, kInto<&JobFile::target>},
    {{"instance_count", Form::count, "How many nodes (default 1)."}, kInto<&JobFile::nodes>},
};

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
    kEnvironment,
    kVariables,
    {{"compute", Form::text, "Where to run."}, kInto<&JobFile::target>, kOlderCompute},
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
    {{"is_deterministic", Form::boolean, "Whether Azure ML may reuse its results.", kAzureOnly}},
    {{"additional_includes", Form::anything, "More files for Azure ML to copy.", kAzureOnly}},
};

}  // namespace

JobTable command_keys() { return kCommandKeys; }

}  // namespace muster::job
