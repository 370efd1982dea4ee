// Makes the objects of a run.
#include "kubernetes/render.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "kubernetes/gang.hpp"

namespace muster::kubernetes {
namespace {

constexpr const char* kIndexVariable = "MUSTER_NODE";
constexpr const char* kIndexAnnotation =
    "metadata.annotations['batch.kubernetes.io/job-completion-index']";
constexpr std::int64_t kSlack = 120;  // seconds for muster's own time limit, which comes first

Program program_of(const Run& run) {
  return run.cluster.muster_image ? Program::copied : Program::pushed;
}

PodParts parts_of(const Run& run, const std::string& role) {
  PodParts parts;
  parts.container = role;
  parts.program = program_of(run);
  parts.secret = secret_name(run);
  parts.mounts_secret = true;
  parts.whole_secret = role == "launcher";
  return parts;
}

Value run_labels(const Run& run, const std::string& role) {
  return labels_of(object_name(run.name), role, run.cluster, run.labels);
}

// Kueue looks at objects that hold pods, not at the pods.
Value queued_labels(const Run& run, const std::string& role) {
  Value labels = run_labels(run, role);
  if (run.cluster.queue) labels.add("kueue.x-k8s.io/queue-name", run.cluster.queue->text);
  return labels;
}

Value top_object(const char* version, const char* kind, Value meta) {
  return object().add("apiVersion", version).add("kind", kind).add("metadata", std::move(meta));
}

Value worker_pod(const Run& run, PodPlan plan, const std::string& address,
                 const std::string& node) {
  plan.command = program_words(program_of(run), run.start_timeout, join_words(run, address, node));
  return pod_spec(plan, parts_of(run, plan.role), run.cluster);
}

Value single_worker(const Run& run, const PodPlan& plan, const std::string& address,
                    std::uint32_t node) {
  Value spec = worker_pod(run, plan, address, std::to_string(node));
  if (run.timeout) {
    spec.add("activeDeadlineSeconds", run.timeout->count() + run.start_timeout + kSlack);
  }
  Value meta = metadata(fmt::format("{}-{}-{}", object_name(run.name), plan.role, node),
                        queued_labels(run, plan.role), run.cluster);
  join_gang(meta, run);
  return top_object("v1", "Pod", std::move(meta)).add("spec", std::move(spec));
}

Value indexed_workers(const Run& run, const Workers& workers, const std::string& address) {
  const std::string& role = workers.plan.role;
  Value pod = worker_pod(run, workers.plan, address, fmt::format("$({})", kIndexVariable));
  add_index_variable(pod);
  Value meta = metadata(workers_name(run), queued_labels(run, role), run.cluster);
  return top_object("batch/v1", "Job", std::move(meta))
      .add("spec", job_spec(run, workers.count, true, run_labels(run, role), std::move(pod)));
}

}  // namespace

std::string secret_name(const Run& run) { return object_name(run.name); }
std::string launcher_name(const Run& run) { return object_name(run.name) + "-launcher"; }
std::string workers_name(const Run& run) { return object_name(run.name) + "-worker"; }

std::vector<std::string> lead_words(const Run& run) {
  return {"lead",
          "--listen",
          fmt::format("0.0.0.0:{}", run.port),
          "--nodes",
          std::to_string(nodes_of(run)),
          "--secret-file",
          fmt::format("{}/{}", kSecretFolder, kSecretKey),
          "--start-timeout",
          std::to_string(run.start_timeout),
          "--slots",
          std::to_string(run.slots),
          "--"};
}

std::vector<std::string> join_words(const Run& run, const std::string& address,
                                    const std::string& node) {
  const bool bare_v6 = address.find(':') != std::string::npos && !address.starts_with('[');
  return {"join",          fmt::format("{}:{}", bare_v6 ? "[" + address + "]" : address, run.port),
          "--node",        node,
          "--secret-file", fmt::format("{}/{}", kSecretFolder, kSecretKey)};
}

void add_index_variable(Value& pod) {
  Value source = object().add("fieldRef", object().add("fieldPath", kIndexAnnotation));
  Value variable = object().add("name", kIndexVariable).add("valueFrom", std::move(source));
  const auto containers = std::ranges::find(pod.fields, "containers", &Field::name);
  Value& container = containers->value.items.front();
  const auto env = std::ranges::find(container.fields, "env", &Field::name);
  if (env != container.fields.end()) {
    env->value.items.insert(env->value.items.begin(), std::move(variable));
    return;
  }
  const auto after = std::ranges::find(container.fields, "volumeMounts", &Field::name);
  container.fields.insert(after, {"env", std::vector<Value>{std::move(variable)}});
}

Value job_spec(const Run& run, std::uint32_t count, bool indexed, Value labels, Value pod) {
  Value spec = object();
  if (count > 1 || indexed) spec.add("completions", count).add("parallelism", count);
  if (indexed) spec.add("completionMode", "Indexed");
  spec.add("backoffLimit", 0);
  if (run.timeout) {
    spec.add("activeDeadlineSeconds", run.timeout->count() + run.start_timeout + kSlack);
  }
  if (run.cluster.ttl) spec.add("ttlSecondsAfterFinished", run.cluster.ttl->number);
  Value pod_meta = object().add("labels", std::move(labels));
  if (indexed) join_gang(pod_meta, run);
  Value pod_template = object().add("metadata", std::move(pod_meta)).add("spec", std::move(pod));
  return std::move(spec).add("template", std::move(pod_template));
}

Value secret_object(const Run& run) {
  return top_object("v1", "Secret", metadata(secret_name(run), run_labels(run, ""), run.cluster))
      .add("type", "Opaque");
}

Value launcher_object(const Run& run) {
  PodPlan plan = run.launcher;
  plan.role = "launcher";
  std::vector<std::string> words = lead_words(run);
  for (const std::string& word : run.launcher.command) words.push_back(literal(word));
  plan.command = program_words(program_of(run), run.start_timeout, std::move(words));
  Value pod = pod_spec(plan, parts_of(run, "launcher"), run.cluster);
  Value meta = metadata(launcher_name(run), queued_labels(run, "launcher"), run.cluster);
  return top_object("batch/v1", "Job", std::move(meta))
      .add("spec", job_spec(run, 1, false, run_labels(run, "launcher"), std::move(pod)));
}

std::vector<Value> worker_objects(const Run& run, const std::string& address) {
  std::vector<Value> all;
  if (has_gang(run.cluster)) {
    all.push_back(
        pod_group(run, metadata(object_name(run.name), run_labels(run, "worker"), run.cluster)));
  }
  std::uint32_t node = 0;
  for (const Workers& workers : run.workers) {
    if (node == 0 && run.indexed) {
      all.push_back(indexed_workers(run, workers, address));
      node = workers.count;
      continue;
    }
    for (std::uint32_t i = 0; i < workers.count; ++i) {
      all.push_back(single_worker(run, workers.plan, address, node++));
    }
  }
  return all;
}

std::vector<Value> render(const Run& run, const std::string& address) {
  std::vector<Value> all = {secret_object(run), launcher_object(run)};
  for (Value& one : worker_objects(run, address)) all.push_back(std::move(one));
  return all;
}

Value owned_by(Value object_of_run, const Owner& owner) {
  const auto meta = std::ranges::find(object_of_run.fields, "metadata", &Field::name);
  Value reference = object()
                        .add("apiVersion", owner.version)
                        .add("kind", owner.kind)
                        .add("name", owner.name)
                        .add("uid", owner.uid);
  meta->value.add("ownerReferences", std::vector<Value>{std::move(reference)});
  return object_of_run;
}

}  // namespace muster::kubernetes
