// PyTorchJobs and TFJobs, and what these and other operators' jobs share.
#include <algorithm>
#include <fmt/format.h>

#include "kubernetes/exported.hpp"

namespace muster::kubernetes {
namespace {

using base::fail;
using base::Fault;

std::string_view framework_word(const job::JobFile& job) {
  if (job.frameworks.empty()) return "";
  switch (job.frameworks.front().framework) {
    case job::Framework::mpi:
      return "mpi";
    case job::Framework::pytorch:
      return "pytorch";
    case job::Framework::tensorflow:
      return "tensorflow";
  }
  return "";
}

std::string fitting(const job::JobFile& job) {
  const std::string_view framework = framework_word(job);
  if (framework == "mpi") return "--as mpijob";
  if (framework == "pytorch") return "--as pytorchjob or trainjob";
  if (framework == "tensorflow") return "--as tfjob";
  return "--as job";
}

bool names(const PodPlan& plan, std::string_view variable) {
  return std::ranges::any_of(plan.command, [&](const std::string& word) {
    return word.find(variable) != std::string::npos;
  });
}

}  // namespace

Value operator_object(const ExportedJob& job, const char* version, const char* kind) {
  return object()
      .add("apiVersion", version)
      .add("kind", kind)
      .add("metadata", object_metadata(job));
}

bool is_of(const job::JobFile& job, job::Framework framework) {
  return !job.frameworks.empty() && job.frameworks.front().framework == framework;
}

tl::unexpected<base::Error> no_fit(const ExportedJob& job, std::string_view kind) {
  const std::string fits = fitting(job.job);
  const std::string also = fits == "--as job" ? "" : ", or --as job or jobset";
  const std::string_view framework = framework_word(job.job);
  const std::string which =
      framework.empty() ? "without a distribution" : fmt::format("of type {}", framework);
  return fail(Fault::usage, fits + " fits it" + also, "a job {} cannot be {}", which, kind);
}

PodParts operator_parts(const ExportedJob& job, std::string container) {
  PodParts parts;
  parts.container = std::move(container);
  parts.secret = name_of(job);
  return parts;
}

base::Result<std::vector<Value>> torch_objects(const ExportedJob& job) {
  if (!is_of(job.job, job::Framework::pytorch)) return no_fit(job, "a PyTorchJob");
  if (job.layout.launches) {
    return fail(Fault::usage, "--as job or jobset fits it",
                "a job whose command starts the ranks itself cannot be a PyTorchJob");
  }
  // The operator calls it RANK, which is that of the node here.
  const PodPlan plain = part_plan(job, 0);
  PodPlan plan =
      names(plain, "NODE_RANK") ? part_plan(job, 0, "export NODE_RANK=\"$RANK\"\n") : plain;
  if (job.layout.per_node > 1) {
    plan.command.insert(plan.command.begin(), {"torchrun", "--no-python"});
  }
  const PodParts parts = operator_parts(job, "pytorch");
  plan.role = "master";
  Value specs = object().add("Master", replica_spec(1, pod_template(job, plan, parts)));
  plan.role = "worker";
  if (job.layout.nodes > 1) {
    specs.add("Worker", replica_spec(job.layout.nodes - 1, pod_template(job, plan, parts)));
  }
  Value spec = object();
  if (job.layout.per_node > 1) spec.add("nprocPerNode", std::to_string(job.layout.per_node));
  spec.add("runPolicy", run_policy(job, job.layout.nodes))
      .add("pytorchReplicaSpecs", std::move(specs));
  return std::vector<Value>{
      operator_object(job, "kubeflow.org/v1", "PyTorchJob").add("spec", std::move(spec))};
}

base::Result<std::vector<Value>> tensorflow_objects(const ExportedJob& job) {
  if (!is_of(job.job, job::Framework::tensorflow)) return no_fit(job, "a TFJob");
  Value specs = object();
  std::uint32_t pods = 0;
  for (std::size_t i = 0; i < job.apps.size(); ++i) {
    const PodPlan plan = part_plan(job, i);
    pods += job.apps[i].ranks.value_or(1);
    specs.add(plan.role == "ps" ? "PS" : "Worker",
              replica_spec(job.apps[i].ranks.value_or(1),
                           pod_template(job, plan, operator_parts(job, "tensorflow"))));
  }
  Value spec = object()
                   .add("runPolicy", run_policy(job, pods))
                   .add("successPolicy", "AllWorkers")
                   .add("tfReplicaSpecs", std::move(specs));
  return std::vector<Value>{
      operator_object(job, "kubeflow.org/v1", "TFJob").add("spec", std::move(spec))};
}

}  // namespace muster::kubernetes
