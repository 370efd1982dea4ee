// The keys of the older components of Azure ML: command components, and distributed ones, which
// have a launcher (azure-ml-component 0.9, _core/_component_definition.py).
#include "job/shared_keys.hpp"

namespace muster::job {
namespace {

constexpr JobKey kLauncher[] = {
    {{"type",
      Form::choice,
      "What starts the processes.",
      {.choices = "mpi torch.distributed pytorch", .any_case = true, .required = true}},
     choose_by_word},
    {{"additional_arguments", Form::text, "What to run, as a shell reads it.", {.required = true}},
     kInto<&JobFile::command>},
};

constexpr JobKey kLayout[] = {
    {{"node_count", Form::count, "How many nodes (default 1)."}, kInto<&JobFile::nodes>},
    {{"process_count_per_node", Form::count, "Processes on each node (default 1)."},
     kInto<&JobFile::per_node>},
};

constexpr JobKey kRunSettings[] = {
    {{"resource_layout", Form::none, "Nodes and processes."}, nullptr, kLayout},
    {{"target", Form::text, "Where to run: an entry of muster.yml."}, kInto<&JobFile::target>},
};

constexpr Traits kSuccess = {.choices = "zero zeroorgreater", .any_case = true};

void take_success(JobFile& job, const Found& found) {
  job.any_code = found.node.text.size() > std::string_view("zero").size();
}

constexpr JobKey kComponentKeys[] = {
    kSchema,
    kName,
    kVersion,
    kDisplayName,
    kDescription,
    kTags,
    {{"type", Form::text, "CommandComponent or DistributedComponent."}},
    kDeterministic,
    kInputs,
    kOutputs,
    kCode,
    kEnvironment,
    kVariables,
    kUnset,
    kDialects,
    {{"command", Form::text, "What to run, as a shell reads it; of a command component."},
     kInto<&JobFile::command>},
    {{"launcher", Form::none, "What is started, and how; of a distributed component."},
     nullptr,
     kLauncher},
    {{"successful_return_code", Form::choice, "Which exit codes are a success.", kSuccess},
     take_success},
    {{"runsettings", Form::none, "How a pipeline would run it."}, nullptr, kRunSettings},
};

}  // namespace

JobTable component_keys() { return kComponentKeys; }

}  // namespace muster::job
