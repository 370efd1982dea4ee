// The keys of Azure ML's oldest drafts: `type: MpiJob`, PytorchJob or TensorflowJob.
#include <algorithm>

#include "base/words.hpp"
#include "job/kind_jobs.hpp"
#include "job/shared_keys.hpp"

namespace muster::job {
namespace {

void choose_by_kind(JobFile& job, const Found& found) {
  const std::string kind = base::lower(found.node.text);
  Framework framework = Framework::mpi;
  if (kind == "pytorchjob") framework = Framework::pytorch;
  if (kind == "tensorflowjob") framework = Framework::tensorflow;
  job.frameworks.push_back({framework, found.node.begin});
}

template <auto... Members>
constexpr JobKey kKindLimits[] = {
    {{"cpu", Form::quantity, "CPUs of a node."}, kInto<Members..., &Limits::cpu>},
    {{"memory", Form::quantity, "Memory of a node."}, kInto<Members..., &Limits::memory>},
    {{"gpu", Form::count, "GPUs of a node.", {.least = 0}}, kInto<Members..., &Limits::gpu>},
    {{"nvidia.com/gpu", Form::count, "GPUs of a node.", {.least = 0}},
     kInto<Members..., &Limits::gpu>},
};

constexpr JobKey kLauncherLimits = {
    {"resource_limits", Form::none, "What the launcher's pod may use."},
    nullptr,
    kKindLimits<&JobFile::launcher>};

constexpr JobKey kKindCommand = {{"command", Form::text, "What to run, as a shell reads it."},
                                 kInto<&JobFile::command>};

constexpr JobKey kLauncherSpec[] = {kKindCommand, kCode, kEnvironment, kVariables, kLauncherLimits};
constexpr JobKey kKindLauncher[] = {
    {{"spec", Form::none, "What it runs.", {.required = true}}, nullptr, kLauncherSpec},
    kLauncherLimits,
};

constexpr JobKey kWorkerLimits = {{"resource_limits", Form::none, "What a worker may use."},
                                  nullptr,
                                  kKindLimits<&JobFile::workers, &Role::limits>};
constexpr JobKey kWorkerSpec[] = {kKindCommand, kCode, kEnvironment, kVariables, kWorkerLimits};
constexpr JobKey kKindWorker[] = {
    {{"num_replicas", Form::count, "How many of them."}, kInto<&JobFile::workers, &Role::count>},
    {{"spec", Form::none, "What they run."}, nullptr, kWorkerSpec},
    kWorkerLimits,
};

constexpr JobKey kServerLimits = {{"resource_limits", Form::none, "What a server may use."},
                                  nullptr,
                                  kKindLimits<&JobFile::servers, &Role::limits>};
constexpr JobKey kServerCode[] = {{{"path", Form::text, "The folder, which is the workers'."}}};
constexpr JobKey kServerSpec[] = {
    {{"command", Form::text, "What they run, which is what the workers do."}},
    {{"code", Form::text, "The folder, which is the workers'."}, nullptr, kServerCode},
    {{"environment", Form::text, "Their software."}, kInto<&JobFile::servers, &Role::environment>},
    {{"environment_variables", Form::text, "Their variables.", {.each = true}},
     kInto<&JobFile::servers, &Role::variables>},
    kServerLimits,
};
constexpr JobKey kKindServer[] = {
    {{"num_replicas", Form::count, "How many of them.", {.required = true, .least = 0}},
     kInto<&JobFile::servers, &Role::count>},
    {{"spec", Form::none, "What they run."}, nullptr, kServerSpec},
    kServerLimits,
};

constexpr JobKey kKindCompute[] = {
    {{"type", Form::text, "AmlCompute, AksCompute or AksCluster."},
     kInto<&JobFile::infrastructure>},
    {{"target", Form::text, "An entry of muster.yml."}, kInto<&JobFile::target>},
    {{"instance_type", Form::text, "The machine size."}, kInto<&JobFile::instance_type>},
    {{"instance_count", Form::count, "How many machines."}, kInto<&JobFile::instances>},
};

constexpr Traits kKinds = {
    .choices = "mpijob pytorchjob tensorflowjob", .any_case = true, .required = true};

constexpr JobKey kKindKeys[] = {
    kSchema,
    {{"type", Form::choice, "MpiJob, PytorchJob or TensorflowJob.", kKinds}, choose_by_kind},
    kName,
    kDisplayName,
    kDescription,
    kTags,
    kExperiment,
    {{"launcher", Form::none, "MpiJob: what starts the ranks."}, nullptr, kKindLauncher},
    {{"worker", Form::none, "The workers."}, nullptr, kKindWorker},
    {{"parameter_server", Form::none, "TensorflowJob: the parameter servers."},
     nullptr,
     kKindServer},
    {{"compute", Form::text, "Where to run."}, kInto<&JobFile::target>, kKindCompute},
    kKindCommand,
    kCode,
    kEnvironment,
    kVariables,
    kUnset,
    kDialects,
    kInputs,
    kOutputs,
};

const Node* node_below(const Node* node, std::string_view key) {
  const Entry* entry = node == nullptr ? nullptr : find(*node, key);
  return entry == nullptr ? nullptr : entry->value.get();
}

const Node* command_of(const Node& root, std::string_view role) {
  return node_below(node_below(node_below(&root, role), "spec"), "command");
}

void check_servers(const Node& root, const JobFile& job, Complaints& complaints) {
  const Node* command = command_of(root, "parameter_server");
  if (command == nullptr || !job.command || command->text == job.command->text) return;
  complaints.add(command->begin, "the parameter servers run another command than the workers",
                 "let one command look at TF_CONFIG, which says what it is");
}

}  // namespace

bool is_kind_job(const Node& root) {
  constexpr std::string_view kWords[] = {"mpijob", "pytorchjob", "tensorflowjob"};
  const Entry* type = find(root, "type");
  return type != nullptr && std::ranges::count(kWords, base::lower(type->value->text)) > 0;
}

JobTable kind_keys() { return kKindKeys; }

void settle_kind_job(const Node& root, JobFile& job, Complaints& complaints) {
  if (!job.command && complaints.empty()) {
    complaints.add(root.begin, "the job has no command",
                   "launcher.spec.command of an MpiJob, else worker.spec.command");
  }
  check_servers(root, job, complaints);
  if (job.frameworks.empty() || job.frameworks.front().framework == Framework::tensorflow) return;
  job.nodes = job.workers.count ? job.workers.count : job.instances;
  job.limits = std::move(job.workers.limits);
  job.workers = {};
  job.instances.reset();
}

std::string bare_variable(const JobFile& job) {
  if (!job.command) return "";
  for (const char* name : {"AZUREML_MPI_HOSTFILE", "MASTER_ADDR", "MASTER_PORT", "NODE_RANK"}) {
    for (const std::string& word : base::split(job.command->text, " \t\n=:")) {
      if (word == name) return name;
    }
  }
  return "";
}

}  // namespace muster::job
