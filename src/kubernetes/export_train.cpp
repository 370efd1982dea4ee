// TrainJobs of Kubeflow Trainer: what a job says of a runtime that the cluster has.
//
// Facts from kubeflow/trainer: pkg/apis/trainer/v1alpha1/trainjob_types.go (the fields, and what a
// runtime's pods may be patched with), pkg/runtime/framework/plugins/{torch,mpi} (the variables
// that they set and refuse), manifests/base/runtimes (the runtimes and the names in them).
#include <algorithm>
#include <fmt/format.h>

#include "job/head_launcher.hpp"
#include "kubernetes/exported.hpp"
#include "kubernetes/gang.hpp"
#include "spec/in_quotes.hpp"

namespace muster::kubernetes {
namespace {

using base::fail;
using base::Fault;

constexpr const char* kTorchRuntime = "torch-distributed";
constexpr const char* kNodeJob = "node";  // and its container

// Set by the runtime, and refused in a TrainJob.
constexpr std::string_view kReserved[] = {"PET_NNODES",
                                          "PET_NPROC_PER_NODE",
                                          "PET_NODE_RANK",
                                          "PET_MASTER_ADDR",
                                          "PET_MASTER_PORT",
                                          "OMPI_MCA_orte_default_hostfile",
                                          "OMPI_MCA_orte_keep_fqdn_hostnames",
                                          "OMPI_MCA_orte_set_default_slots",
                                          "OMPI_MCA_plm_rsh_args"};

// Of a pod's spec, what such a patch may hold.
constexpr std::string_view kPatched[] = {"serviceAccountName", "nodeSelector",    "tolerations",
                                         "imagePullSecrets",   "securityContext", "volumes"};

bool is_mpi(const ExportedJob& job) { return is_of(job.job, job::Framework::mpi); }

std::string in_single_quotes(const std::string& text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? "'\\''" : std::string(1, c);
  return made + "'";
}

// A TrainJob cannot say where its command runs.
std::string folder_prefix(const ExportedJob& job) {
  const std::string folder = code_folder(job);
  return folder.empty() ? "" : fmt::format("cd {} || exit\n", in_single_quotes(folder));
}

std::vector<std::string> in_folder(const ExportedJob& job, std::vector<std::string> words) {
  const bool is_shell = words.size() == 3 && words.front() == "bash";
  if (is_shell || code_folder(job).empty()) return words;  // its text has the prefix
  words.insert(words.begin(), {"sh", "-c", folder_prefix(job) + "exec \"$@\"", "sh"});
  return words;
}

PodPlan torch_plan(const ExportedJob& job) {
  PodPlan plan = part_plan(job, 0, folder_prefix(job));
  const auto& text = plan.command.back();
  if (text.find("NODE_RANK") != std::string::npos) {
    plan = part_plan(job, 0, "export NODE_RANK=\"$GROUP_RANK\"\n" + folder_prefix(job));
  }
  plan.command = in_folder(job, std::move(plan.command));
  // Its options come from the runtime's variables, and each process gets the usual ones from it.
  plan.command.insert(plan.command.begin(), {"torchrun", "--no-python"});
  return plan;
}

PodPlan mpi_plan(const ExportedJob& job) {
  PodPlan plan = part_plan(job, 0, folder_prefix(job));
  plan.command = in_folder(job, std::move(plan.command));
  if (!job.layout.launches) plan.command = own_mpirun(job, plan, Mpi::open_mpi);
  set_mpi_variables(plan, Mpi::open_mpi, true);
  return plan;
}

base::Result<void> check_fit(const ExportedJob& job) {
  const bool is_torch = is_of(job.job, job::Framework::pytorch);
  if (!is_torch && !is_mpi(job)) return no_fit(job, "a TrainJob");
  if (is_torch && job.layout.launches) {
    return fail(Fault::usage, "--as job or jobset fits it",
                "a job whose command starts the ranks itself cannot be a TrainJob");
  }
  if (is_torch) return {};
  if (job::head_launcher(job.job) == "deepspeed") {
    return fail(Fault::usage, "--as job or jobset fits it",
                "a job that deepspeed starts cannot be a TrainJob");
  }
  if (mpi_of(job) != Mpi::open_mpi) {
    return fail(Fault::usage, "--as mpijob fits it", "TrainJobs know no MPI but Open MPI");
  }
  if (job.run.cluster.runtime) return {};
  return fail(Fault::usage,
              "--runtime NAME names one of the cluster with mlPolicy.mpi; or --as mpijob",
              "a TrainJob of type mpi needs a runtime, and no usual one is for any MPI job");
}

base::Result<void> check_variables(const PodPlan& plan) {
  for (const Word& one : plan.variables) {
    if (std::ranges::find(kReserved, one.name) == std::end(kReserved)) continue;
    return fail(Fault::usage, "remove it from the job",
                "a TrainJob cannot set {}, which its runtime does", one.name);
  }
  return {};
}

Value runtime_ref(const ExportedJob& job) {
  const auto& said = job.run.cluster.runtime;
  const std::string text = said ? said->text : kTorchRuntime;
  const std::size_t slash = text.find('/');
  const bool has_kind = slash != std::string::npos;
  return object()
      .add("apiGroup", "trainer.kubeflow.org")
      .add("kind", has_kind ? text.substr(0, slash) : "ClusterTrainingRuntime")
      .add("name", has_kind ? text.substr(slash + 1) : text);
}

Value value_at(const Value& container, std::string_view name) {
  const Value* const found = container.find(name);
  return found == nullptr ? Value() : *found;
}

Value trainer_of(const ExportedJob& job, const Value& container) {
  return object()
      .add("image", value_at(container, "image"))
      .add("command", value_at(container, "command"))
      .add_any("env", value_at(container, "env"))
      .add("numNodes", job.layout.nodes)
      .add_any("resourcesPerNode", value_at(container, "resources"))
      .add("numProcPerNode", job.layout.launches ? job.layout.slots : job.layout.per_node);
}

// Of the pods of one of the runtime's jobs.
Value job_patch(const ExportedJob& job, const std::string& name, const Value& pod,
                const Value& container) {
  Value spec = object();
  for (const Field& field : pod.fields) {
    if (std::ranges::find(kPatched, field.name) != std::end(kPatched)) {
      spec.add(field.name, field.value);
    }
  }
  Value patch = object()
                    .add("name", kNodeJob)
                    .add_any("volumeMounts", value_at(container, "volumeMounts"))
                    .add_any("securityContext", value_at(container, "securityContext"));
  spec.add("containers", std::vector<Value>{std::move(patch)});
  const std::string role = name == kNodeJob ? "worker" : name;
  Value pods = object()
                   .add("metadata", object().add("labels", pod_labels(job, role)))
                   .add("spec", std::move(spec));
  Value job_spec = object().add("template", std::move(pods));
  return object().add("name", name).add("template", object().add("spec", std::move(job_spec)));
}

Value runtime_patch(const ExportedJob& job, const Value& pod, const Value& container) {
  std::vector<Value> jobs = {job_patch(job, kNodeJob, pod, container)};
  if (is_mpi(job)) jobs.push_back(job_patch(job, "launcher", pod, container));
  Value set = object().add("spec", object().add("replicatedJobs", std::move(jobs)));
  return object()
      .add("manager", "muster")
      .add("trainingRuntimeSpec", object().add("template", std::move(set)));
}

}  // namespace

base::Result<std::vector<Value>> train_objects(const ExportedJob& job) {
  if (auto fine = check_fit(job); !fine) return tl::unexpected(fine.error());
  const PodPlan plan = is_mpi(job) ? mpi_plan(job) : torch_plan(job);
  if (auto fine = check_variables(plan); !fine) return tl::unexpected(fine.error());
  PodParts parts = operator_parts(job, kNodeJob);
  parts.as_root = is_mpi(job) && !job.run.cluster.user;
  parts.binds_port = is_mpi(job);
  const Value pod = pod_spec(plan, parts, job.run.cluster);
  const Value container = pod.find("containers")->items.front();
  Value spec = object()
                   .add("runtimeRef", runtime_ref(job))
                   .add("trainer", trainer_of(job, container))
                   .add("runtimePatches", std::vector<Value>{runtime_patch(job, pod, container)});
  if (job.suspended) spec.add("suspend", true);
  if (job.run.timeout) spec.add("activeDeadlineSeconds", job.run.timeout->count());
  return std::vector<Value>{operator_object(job, "trainer.kubeflow.org/v1alpha1", "TrainJob")
                                .add("spec", std::move(spec))};
}

std::vector<std::string> beside_train(const ExportedJob& job) {
  const job::Cluster& cluster = job.run.cluster;
  std::vector<std::string> lines = {
      "it needs Kubeflow Trainer 2.2 or newer: older ones do not know runtimePatches"};
  std::string words;
  const auto add = [&](bool is_there, std::string_view word) {
    if (is_there) words += (words.empty() ? "" : ", ") + std::string(word);
  };
  add(cluster.priority_class.has_value(), "priority_class");
  add(cluster.scheduler.has_value(), "scheduler");
  add(has_gang(cluster), "gang (podGroupPolicy there)");
  add(cluster.image_pull_policy.has_value(), "image_pull_policy");
  add(cluster.ttl.has_value(), "ttl");
  if (!words.empty()) {
    lines.push_back("a TrainJob cannot say these, which the runtime must: " + words);
  }
  if (is_mpi(job)) {
    lines.push_back(
        fmt::format("{} is the image of the launcher; the other nodes have that of the runtime, "
                    "which must hold "
                    "the same programs",
                    spec::in_quotes(job.run.workers.front().plan.image)));
  }
  return lines;
}

}  // namespace muster::kubernetes
