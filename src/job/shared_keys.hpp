// Rows that several dialects share.
#pragma once

#include "job/tables.hpp"

namespace muster::job {

template <auto... Members>
inline constexpr auto kInto = into<JobFile, Members...>;

template <auto... Members>
void into_input(JobFile& job, const Found& found) {
  store((job.inputs.back().*....*Members), found);
}

template <auto... Members>
void into_output(JobFile& job, const Found& found) {
  store((job.outputs.back().*....*Members), found);
}

void add_input(JobFile& job, const Found& found);
void add_path(JobFile& job, const Found& found);
void add_folder(JobFile& job, const Found& found);
void add_output(JobFile& job, const Found& found);
// `environment.conda_file`, a file or what would stand in it.
void set_conda(JobFile& job, const Found& found);

// `distribution.type` and `launcher.type`.
void choose_by_word(JobFile& job, const Found& found);

inline constexpr std::string_view kDistributions = "mpi pytorch tensorflow torch.distributed";
inline constexpr NotHere kRay = {
    "ray", "muster does not start Ray clusters",
    "use type: mpi, and start Ray in the command: its head where RANK is 0, else a worker"};
inline constexpr JobKey kDistributionType = {
    {"type",
     Form::choice,
     "What the processes expect to find in their environment.",
     {.choices = kDistributions, .any_case = true, .required = true, .not_here = kRay}},
    choose_by_word};

template <Framework framework>
void choose(JobFile& job, const Found& found) {
  job.frameworks.push_back({framework, found.key_mark});
}

inline constexpr std::string_view kOnlyAzure = "it is for Azure ML's service";
inline constexpr Traits kAzureOnly = {.support = no_effect(kOnlyAzure)};
inline constexpr JobKey kSchema = {{"$schema", Form::text, "Where editors find the schema."}};
inline constexpr JobKey kName = {{"name", Form::text, "The job's name."}, kInto<&JobFile::name>};
inline constexpr JobKey kVersion = {{"version", Form::text, "The version of a component."}};
inline constexpr JobKey kDisplayName = {{"display_name", Form::text, "What people call it."},
                                        kInto<&JobFile::title>};
inline constexpr JobKey kDescription = {{"description", Form::text, "What the job is for."}};
inline constexpr JobKey kComment = {{"comment", Form::text, "What people say of the step."}};
inline constexpr JobKey kTags = {
    {"tags", Form::text, "Names and values to find its runs by.", {.each = true}},
    kInto<&JobFile::tags>};
inline constexpr JobKey kProperties = {
    {"properties", Form::anything, "Settings of Azure ML's service.", kAzureOnly}};
inline constexpr JobKey kIdentity = {
    {"identity", Form::anything, "Whom the job acts for in Azure.", kAzureOnly}};
inline constexpr JobKey kServices = {
    {"services", Form::anything, "Programs for people beside the job.", kAzureOnly}};
inline constexpr JobKey kQueueSettings = {
    {"queue_settings", Form::anything, "The job's place in Azure's queue.", kAzureOnly}};
inline constexpr JobKey kAzureId = {
    {"id", Form::text, "What Azure ML has registered it as.", kAzureOnly}};
inline constexpr JobKey kAutoDelete = {
    {"auto_delete_setting", Form::anything, "When Azure ML forgets it.", kAzureOnly}};
inline constexpr Traits kNotCopied = {
    .support = no_effect("muster does not copy them: put them into the folder that code names")};
inline constexpr JobKey kIncludes = {
    {"additional_includes", Form::anything, "More files for Azure ML to copy.", kNotCopied}};
inline constexpr JobKey kExperiment = {
    {"experiment_name", Form::text, "The experiment it belongs to."}, kInto<&JobFile::experiment>};
inline constexpr JobKey kCommand = {
    {"command", Form::text, "What to run, as a shell reads it.", {.required = true, .fixed = true}},
    kInto<&JobFile::command>};
inline constexpr JobKey kVariables = {
    {"environment_variables", Form::text, "Variables of the job's processes.", {.each = true}},
    kInto<&JobFile::variables>};

inline constexpr JobKey kUnset = {
    {"unset",
     Form::text,
     "Variables that no process gets, whoever would set them: LOCAL_RANK, NCCL_*.",
     {.listed = true}},
    kInto<&JobFile::unset>};
inline constexpr JobKey kDialects = {
    {"dialects",
     Form::text,
     "The frameworks whose variables are set: [torch, mpich]; ^jax for all but that; all; none.",
     {.listed = true}},
    kInto<&JobFile::dialects>};

inline constexpr JobKey kCodeKeys[] = {
    {{"path", Form::text, "The folder, as seen from the job file.", {.required = true}},
     kInto<&JobFile::code>}};
inline constexpr JobKey kCheckpoints = {
    {"checkpoints", Form::text,
     "true, or a folder: MUSTER_CHECKPOINTS, which outlives restarts and reruns."},
    kInto<&JobFile::checkpoints>};
inline constexpr JobKey kCode = {{"code", Form::text, "The folder in which the command runs."},
                                 kInto<&JobFile::code>,
                                 kCodeKeys};

inline constexpr JobKey kDockerKeys[] = {
    {{"image", Form::text, "The container image.", {.required = true}}, kInto<&JobFile::image>}};
inline constexpr JobKey kBuildKeys[] = {
    {{"path", Form::text, "The folder with the Dockerfile."}, kInto<&JobFile::build>},
    {{"local_path", Form::text, "The same, in older files."}, kInto<&JobFile::build>},
    {{"dockerfile_path", Form::text, "The Dockerfile in it."}, kInto<&JobFile::dockerfile>}};
inline constexpr Traits kForServers = {.support = no_effect("it is for servers, not for jobs")};
inline constexpr Traits kPackages = {
    .support = table::refused("these are conda's packages: write environment: {conda_file: "
                              "{dependencies: [...]}}, or environment: file:FILE")};
inline constexpr Traits kChannels = {
    .support = table::no_effect("they belong into conda_file:, beside its dependencies")};
inline constexpr JobKey kEnvironmentKeys[] = {
    {{"docker", Form::none, "The container that holds the software."}, nullptr, kDockerKeys},
    {{"image", Form::text, "The container image."}, kInto<&JobFile::image>},
    {{"conda_file", Form::anything, "The conda packages: a file, or a map."}, set_conda},
    {{"conda", Form::anything, "The same, in older files."}, set_conda},
    {{"dependencies", Form::anything, "Packages, without conda_file around them.", kPackages}},
    {{"channels", Form::anything, "Channels, without conda_file around them.", kChannels}},
    {{"build", Form::none, "How to build the image."}, nullptr, kBuildKeys},
    {{"name", Form::text, "The environment's name."}, kInto<&JobFile::environment_name>},
    {{"version", Form::text, "The environment's version."}},
    {{"os", Form::text, "The operating system."}},
    {{"os_type", Form::text, "The operating system."}},
    {{"description", Form::text, "What it is for."}},
    {{"tags", Form::anything, "Words to find it by."}},
    {{"datastore", Form::text, "Where Azure ML keeps the folder of the build.", kAzureOnly}},
    {{"inference_config", Form::anything, "The paths and ports of a server.", kForServers}},
    kAzureId,
    kAutoDelete,
};
inline constexpr JobKey kEnvironment = {
    {"environment", Form::text, "The software that the job needs."},
    kInto<&JobFile::environment>,
    kEnvironmentKeys};

inline constexpr JobKey kDeterministic = {
    {"is_deterministic", Form::boolean, "Whether the same inputs always give the same outputs."},
    kInto<&JobFile::deterministic>};

inline constexpr std::string_view kModes =
    "ro_mount rw_mount download upload direct eval_mount eval_download mount link";
inline constexpr table::Support kWhereItIs =
    no_effect("the job sees inputs and outputs where they are");
inline constexpr Traits kMode = {.choices = kModes, .support = kWhereItIs};
inline constexpr Traits kMounted = {.support = kWhereItIs};

// As files of the first preview have them.
inline constexpr JobKey kOlderDataset[] = {
    {{"path", Form::text, "The file or folder."}, add_path},
    {{"local_path", Form::text, "The same, in older files."}, add_path},
};

inline constexpr JobKey kInputKeys[] = {
    {{"type", Form::text, "uri_folder, uri_file, string, number, integer, boolean or enum."},
     into_input<&Input::type>},
    {{"path", Form::text, "The file or folder."}, add_path},
    {{"data", Form::text, "The same, in older files."}, add_path},
    {{"dataset", Form::text, "The same, in older files."}, add_path, kOlderDataset},
    {{"file", Form::text, "The same, of one file."}, add_path},
    {{"folder", Form::text, "The same, of a folder."}, add_folder},
    {{"value", Form::text, "The value."}, into_input<&Input::value>},
    {{"default", Form::text, "The value unless another is given."}, into_input<&Input::value>},
    {{"optional", Form::boolean, "Whether it may go without a value."},
     into_input<&Input::optional>},
    {{"min", Form::number, "The least value."}, into_input<&Input::least>},
    {{"max", Form::number, "The largest value."}, into_input<&Input::most>},
    {{"enum", Form::text, "The values that it may have.", {.listed = true}},
     into_input<&Input::choices>},
    {{"mode",
      Form::choice,
      "download: hosts that do not see it get it. Otherwise it is where it is.",
      {.choices = kModes}},
     into_input<&Input::mode>},
    {{"path_on_compute", Form::text, "Where Azure ML mounts it.", kMounted}},
    {{"datastore", Form::text, "Where Azure ML keeps it.", kAzureOnly}},
    {{"description", Form::text, "What it is for."}},
};
inline constexpr JobKey kInputs = {
    {"inputs", Form::text, "What the command may name as inputs.", {.each = true, .fixed = true}},
    add_input,
    kInputKeys};

inline constexpr JobKey kOutputKeys[] = {
    {{"type", Form::text, "uri_folder, uri_file or another kind of data."},
     into_output<&Output::type>},
    {{"path", Form::text, "The folder; by default one of the job's own."},
     into_output<&Output::path>},
    {{"mode", Form::choice, "How Azure ML takes it over.", kMode}, into_output<&Output::mode>},
    {{"overwrite", Form::boolean,
      "Whether what lies at its path may be changed, whoever has put it there (muster's own key)."},
     into_output<&Output::overwrite>},
    {{"path_on_compute", Form::text, "Where Azure ML mounts it.", kMounted}},
    {{"is_control", Form::boolean, "Whether it decides which steps of a pipeline run."},
     into_output<&Output::is_control>},
    {{"early_available", Form::boolean, "Whether it is ready before the step ends.", kAzureOnly}},
    {{"optional", Form::boolean, "Whether it may stay empty."}},
    {{"name", Form::text, "The name under which Azure ML registers it.", kAzureOnly}},
    {{"version", Form::text, "The version under which Azure ML registers it.", kAzureOnly}},
    {{"description", Form::text, "What it is for."}},
};
inline constexpr JobKey kOutputs = {{"outputs",
                                     Form::text,
                                     "Folders that the command may name as outputs.",
                                     {.each = true, .fixed = true}},
                                    add_output,
                                    kOutputKeys};

}  // namespace muster::job
