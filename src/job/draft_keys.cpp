// The keys of Azure ML's first job files, with `distributed` and `code.path`.
#include "job/shared_keys.hpp"

namespace muster::job {
namespace {

// The limits of a job's nodes, of a TensorFlow role, or of a launcher's own pod.
template <auto... Members>
constexpr JobKey kLimits[] = {
    {{"cpu", Form::quantity, "CPUs of a node."}, kInto<Members..., &Limits::cpu>},
    {{"memory", Form::quantity, "Memory of a node."}, kInto<Members..., &Limits::memory>},
    {{"gpu", Form::count, "GPUs of a node.", {.least = 0}}, kInto<Members..., &Limits::gpu>},
};

constexpr JobKey kDraftResources[] = {
    {{"limits", Form::none, "What a node may use."}, nullptr, kLimits<&JobFile::limits>},
};

constexpr JobKey kCount = {{"count", Form::count, "How many nodes.", {.required = true}},
                           kInto<&JobFile::nodes>};

constexpr JobKey kMpiWorker[] = {
    kCount,
    {{"slots_per", Form::count, "Processes that a node takes (default: its GPUs, or 1)."},
     kInto<&JobFile::slots>},
    {{"resources", Form::none, "What a node may use."}, nullptr, kDraftResources},
};

constexpr JobKey kPodResources[] = {
    {{"limits", Form::none, "What the launcher may use."}, nullptr, kLimits<&JobFile::launcher>},
};

constexpr JobKey kPod[] = {
    {{"resources", Form::none, "What the launcher may use."}, nullptr, kPodResources},
};

constexpr JobKey kMpi[] = {
    {{"worker", Form::none, "The nodes on which ranks run.", {.required = true}},
     nullptr,
     kMpiWorker},
    {{"launcher", Form::none, "The launcher's own pod on Kubernetes."}, nullptr, kPod},
};

constexpr JobKey kTorchWorker[] = {kCount};

constexpr JobKey kTorch[] = {
    {{"worker", Form::none, "The nodes; each runs the command once.", {.required = true}},
     nullptr,
     kTorchWorker},
    {{"resource_limits", Form::none, "What a node may use."}, nullptr, kLimits<&JobFile::limits>},
};

template <auto Member>
constexpr JobKey kRoleDocker[] = {
    {{"image", Form::text, "The container image.", {.required = true}},
     kInto<Member, &Role::image>}};

template <auto Member>
constexpr JobKey kRoleEnvironment[] = {
    {{"docker", Form::none, "The container that holds the software."},
     nullptr,
     kRoleDocker<Member>}};

template <auto Member>
constexpr JobKey kRole[] = {
    {{"count", Form::count, "How many of them.", {.required = true, .least = 0}},
     kInto<Member, &Role::count>},
    {{"environment", Form::none, "Their software, if not the job's."},
     nullptr,
     kRoleEnvironment<Member>},
    {{"environment_variables",
      Form::text,
      "Their variables, which win over the job's.",
      {.each = true}},
     kInto<Member, &Role::variables>},
    {{"resource_limits", Form::none, "What each may use."},
     nullptr,
     kLimits<Member, &Role::limits>},
};

constexpr JobKey kTensorflow[] = {
    {{"worker", Form::none, "The workers.", {.required = true}}, nullptr, kRole<&JobFile::workers>},
    {{"parameter_server", Form::none, "The parameter servers."}, nullptr, kRole<&JobFile::servers>},
};

constexpr JobKey kDistributed[] = {
    {{"mpi", Form::none, "The command starts the ranks, with mpirun or the like."},
     choose<Framework::mpi>,
     kMpi},
    {{"pytorch", Form::none, "The command runs once on each node."},
     choose<Framework::pytorch>,
     kTorch},
    {{"tensorflow", Form::none, "The command runs once for each worker and parameter server."},
     choose<Framework::tensorflow>,
     kTensorflow},
};

constexpr Traits kWhere = {.choices = "managed k8s"};

constexpr JobKey kDraftCompute[] = {
    {{"target", Form::text, "An entry of muster.yml."}, kInto<&JobFile::target>},
    {{"infrastructure", Form::choice, "managed or k8s.", kWhere}, kInto<&JobFile::infrastructure>},
    {{"type", Form::choice, "managed or k8s.", kWhere}, kInto<&JobFile::infrastructure>},
    {{"instance_type", Form::text, "The machine size."}, kInto<&JobFile::instance_type>},
    {{"instance_count", Form::count, "How many machines."}, kInto<&JobFile::instances>},
};

constexpr JobKey kDraftKeys[] = {
    kSchema,
    kName,
    kDisplayName,
    kDescription,
    kTags,
    kExperiment,
    kCommand,
    kCode,
    kEnvironment,
    kVariables,
    kUnset,
    kDialects,
    {{"compute", Form::text, "Where to run."}, kInto<&JobFile::target>, kDraftCompute},
    {{"distributed", Form::none, "How the job is spread: mpi, pytorch or tensorflow."},
     nullptr,
     kDistributed},
    kInputs,
    kOutputs,
};

}  // namespace

JobTable draft_keys() { return kDraftKeys; }

}  // namespace muster::job
