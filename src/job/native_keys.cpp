// The keys of muster's own job files.
#include "job/shared_keys.hpp"

namespace muster::job {
namespace {

constexpr JobKey kNativeDistribution[] = {
    kDistributionType,
    {{"node_count", Form::count, "How many nodes (default 1)."}, kInto<&JobFile::nodes>},
    {{"process_count_per_node", Form::count, "mpi: processes on each node (default 1)."},
     kInto<&JobFile::per_node>},
    {{"process_count", Form::count, "pytorch: processes in total (default one per node)."},
     kInto<&JobFile::processes>},
    {{"worker_count", Form::count, "tensorflow: how many workers (default 1)."},
     kInto<&JobFile::workers, &Role::count>},
    {{"parameter_server_count",
      Form::count,
      "tensorflow: how many parameter servers (default 0).",
      {.least = 0}},
     kInto<&JobFile::servers, &Role::count>},
};

constexpr JobKey kNativeCompute[] = {
    {{"target", Form::text, "An entry of muster.yml."}, kInto<&JobFile::target>},
};

constexpr JobKey kNativeResources[] = {
    {{"shm_size", Form::quantity, "Shared memory of the container."},
     kInto<&JobFile::shared_memory>},
    {{"docker_args", Form::text, "More words for docker run.", {.listed = true}},
     kInto<&JobFile::docker_args>},
};

// A list is started as it is, a text by a shell.
void set_command(JobFile& job, const Found& found) {
  if (found.in_list) {
    store(job.words, found);
  } else {
    store(job.command, found);
  }
}

constexpr JobKey kNativeKeys[] = {
    {{"muster", Form::count, "The version of this format, which is 1.", {.required = true}}},
    kName,
    kDescription,
    kTags,
    {{"experiment", Form::text, "The experiment it belongs to."}, kInto<&JobFile::experiment>},
    {{"command",
      Form::text,
      "What to run: text for a shell, or a list of words.",
      {.listed = true, .required = true}},
     set_command},
    kCode,
    {{"snapshot", Form::boolean,
      "Whether the command runs in a copy of the folder (default true)."},
     kInto<&JobFile::snapshot>},
    {{"snapshot_limit", Form::text, "The most that the folder may hold: 2GB (default 300MB)."},
     kInto<&JobFile::snapshot_limit>},
    kCheckpoints,
    kEnvironment,
    kVariables,
    kUnset,
    kDialects,
    {{"secrets",
      Form::text,
      "Variables of this shell for the processes, with values that are not recorded.",
      {.listed = true}},
     kInto<&JobFile::secrets>},
    {{"compute", Form::text, "Where to run: an entry of muster.yml."},
     kInto<&JobFile::target>,
     kNativeCompute},
    {{"resources", Form::none, "What its container has."}, nullptr, kNativeResources},
    {{"distribution", Form::none, "How many processes, on how many nodes."},
     nullptr,
     kNativeDistribution},
    kInputs,
    kOutputs,
    {{"timeout", Form::number, "Seconds after which the job is ended.", {.positive = true}},
     kInto<&JobFile::timeout>},
    {{"notice", Form::text, "A signal to all processes before that: USR1@60."},
     kInto<&JobFile::notice>},
};

}  // namespace

JobTable native_keys() { return kNativeKeys; }

}  // namespace muster::job
