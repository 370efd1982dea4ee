// The keys of Azure ML's distributed components, with `launcher`.
#include "job/shared_keys.hpp"

namespace muster::job {
namespace {

constexpr JobKey kLauncher[] = {
    {{"type",
      Form::choice,
      "What starts the processes.",
      {.choices = "mpi torch.distributed", .any_case = true, .required = true}},
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
    {{"type", Form::text, "DistributedComponent."}},
    kDeterministic,
    kInputs,
    kOutputs,
    kCode,
    kEnvironment,
    kVariables,
    kUnset,
    kDialects,
    {{"launcher", Form::none, "What is started, and how.", {.required = true}}, nullptr, kLauncher},
    {{"successful_return_code", Form::choice, "Which exit codes are a success.", kSuccess},
     take_success},
    {{"runsettings", Form::none, "How a pipeline would run it."}, nullptr, kRunSettings},
};

}  // namespace

JobTable component_keys() { return kComponentKeys; }

}  // namespace muster::job
