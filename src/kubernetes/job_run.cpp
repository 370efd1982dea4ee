// Finds out what each kind of a job's pods is.
#include "kubernetes/job_run.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "job/number.hpp"
#include "spec/in_quotes.hpp"

namespace muster::kubernetes {
namespace {

// Azure ML's name of an environment says nothing to a cluster.
bool is_image(const std::string& text) { return !text.empty() && !text.starts_with("azureml:"); }

// What muster.yml says of a machine size, else the GPUs that are known of it.
std::optional<job::InstanceType> type_of(const JobParts& parts) {
  if (!parts.job.instance_type) return std::nullopt;
  const std::string& name = parts.job.instance_type->text;
  if (const job::InstanceType* known = job::find_type(name, parts.types)) return *known;
  const auto gpus = job::gpus_of(name, parts.types);
  if (!gpus) return std::nullopt;
  job::InstanceType type;
  type.name = name;
  type.gpus = *gpus;
  return type;
}

PodPlan worker_plan(const JobParts& parts, const job::Role* role, std::string name) {
  const job::Cluster& cluster = *parts.target.kubernetes;
  const std::optional<job::InstanceType> type = type_of(parts);
  PodPlan plan;
  plan.role = std::move(name);
  plan.image = image_of(parts.job, cluster, role);
  const job::Limits& limits = role != nullptr ? role->limits : parts.job.limits;
  plan.resources = resources_of(limits, type ? &*type : nullptr, cluster.worker, gpu_name(cluster));
  if (type) {
    for (const job::Named& one : type->node_selector) {
      plan.node_selector.push_back({one.name, one.value.text});
    }
  }
  if (parts.job.shared_memory) plan.shared_memory = docker_quantity(parts.job.shared_memory->text);
  return plan;
}

std::vector<Workers> workers_of(const JobParts& parts) {
  const job::Layout& layout = parts.layout;
  const bool by_role = layout.parts.size() > 1 && !layout.shares && layout.per_node == 1;
  std::vector<Workers> all;
  if (!by_role) {
    const job::Role* first = layout.parts.front().settings;
    all.push_back({worker_plan(parts, first, "worker"), layout.nodes});
    return all;
  }
  for (const job::Part& part : layout.parts) {
    if (part.processes == 0) continue;
    all.push_back({worker_plan(parts, part.settings, part.role), part.processes});
  }
  return all;
}

std::optional<std::chrono::seconds> timeout_of_run(const job::JobFile& job) {
  const auto seconds = job.timeout ? job::number_of(job.timeout->text) : std::nullopt;
  if (!seconds || *seconds <= 0) return std::nullopt;
  constexpr double kMost = 365.0 * 24 * 3600;
  return std::chrono::seconds(static_cast<std::int64_t>(std::min(*seconds, kMost) + 0.999));
}

void check_images(const JobParts& parts, const Run& run, job::Complaints& complaints) {
  for (const Workers& workers : run.workers) {
    if (!workers.plan.image.empty()) continue;
    const bool named = !parts.job.environment.empty();
    const job::Mark at = named ? parts.job.environment.front().begin : job::Mark{};
    return complaints.add(
        at,
        named ? fmt::format("{} is not an image", in_quotes(parts.job.environment.front().text))
              : fmt::format("the job names no image, and target {} has none",
                            in_quotes(parts.target.name)),
        "write environment: {image: IMAGE} in the job file, or kubernetes: {image: IMAGE} in "
        "muster.yml");
  }
}

void check_nodes(const JobParts& parts, const Run& run, job::Complaints& complaints) {
  const auto& most = parts.target.kubernetes->nodes;
  const std::uint32_t nodes = nodes_of(run);
  if (!most || nodes <= most->number) return;
  job::Mark at;
  for (const auto& count : {parts.job.workers.count, parts.job.instances, parts.job.nodes}) {
    if (count) at = count->begin;
  }
  complaints.add(at,
                 fmt::format("the job needs {} nodes, and target {} has {}", nodes,
                             in_quotes(parts.target.name), most->number),
                 "choose a target with more nodes, or request fewer");
}

// A launcher's pod may be of the gang, too.
void check_gang(const JobParts& parts, const Run& run, job::Complaints& complaints) {
  const auto& least = parts.target.kubernetes->gang.least;
  const std::uint32_t pods = nodes_of(run) + 1;
  if (!least || least->number <= pods) return;
  complaints.add({},
                 fmt::format("the job has {} pods at most, and gang: of the target {} waits for {}",
                             pods, in_quotes(parts.target.name), least->number),
                 "leave min_available out: then it waits for all pods of each job");
}

}  // namespace

std::string image_of(const job::JobFile& job, const job::Cluster& cluster, const job::Role* role) {
  if (role != nullptr && role->image) return role->image->text;
  if (role != nullptr && role->environment && is_image(role->environment->text)) {
    return role->environment->text;
  }
  if (job.image) return job.image->text;
  for (const job::Text& one : job.environment) {
    if (is_image(one.text)) return one.text;
  }
  return cluster.image ? cluster.image->text : "";
}

Run run_of(const std::string& name, const JobParts& parts, job::Complaints& complaints) {
  const job::Cluster& cluster = *parts.target.kubernetes;
  Run run;
  run.name = name;
  run.cluster = cluster;
  run.workers = workers_of(parts);
  run.launcher.role = "launcher";
  run.launcher.image = run.workers.front().plan.image;
  run.launcher.resources =
      launcher_resources(parts.job.launcher, cluster.launcher, gpu_name(cluster));
  run.timeout = timeout_of_run(parts.job);
  if (cluster.start_timeout) run.start_timeout = cluster.start_timeout->number;
  check_images(parts, run, complaints);
  check_nodes(parts, run, complaints);
  check_gang(parts, run, complaints);
  return run;
}

}  // namespace muster::kubernetes
