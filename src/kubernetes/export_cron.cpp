// CronJobs: one pod of the job's image, in which muster carries out the whole job.
#include <fmt/format.h>

#include "kubernetes/exported.hpp"
#include "kubernetes/render.hpp"

namespace muster::kubernetes {
namespace {

constexpr std::string_view kCronJobKey = "job.yml";

Value cron_config(const ExportedJob& job) {
  return object()
      .add("apiVersion", "v1")
      .add("kind", "ConfigMap")
      .add("metadata", object_metadata(job))
      .add("data", object().add(std::string(kCronJobKey), text_for_pods(job)));
}

// The pod is all that the job gets: it has the software, and the devices that it was given.
Value cron_pod(const ExportedJob& job) {
  const bool copied = job.run.cluster.muster_image.has_value();
  PodPlan plan = job.run.workers.front().plan;
  for (const job::Text& name : job.job.secrets) plan.secret_variables.push_back(name.text);
  const std::string line = fmt::format(
      "exec {} submit --target local --without environment --without gpus --no-snapshot{} {}/{}",
      copied ? kProgram : "muster", job.cron->options, kConfigFolder, kCronJobKey);
  plan.command = literal(std::vector<std::string>{"sh", "-c", line});
  PodParts parts;
  parts.container = plan.role;
  parts.program = copied ? Program::copied : Program::in_image;
  parts.secret = name_of(job);
  parts.config = name_of(job);
  return pod_spec(plan, parts, job.run.cluster);
}

}  // namespace

base::Result<std::vector<Value>> cron_objects(const ExportedJob& job) {
  const std::uint32_t nodes = nodes_of(job.run);
  if (nodes > 1) {
    return base::fail(base::Fault::usage,
                      "muster export crontab writes a line for a machine that submits it",
                      "a CronJob has one pod, and the job needs {} nodes", nodes);
  }
  const std::string& role = job.run.workers.front().plan.role;
  Value of_each =
      object().add("spec", job_spec(job.run, 1, false, pod_labels(job, role), cron_pod(job)));
  Value spec = object().add("schedule", job.cron->times);
  if (job.cron->zone != "Etc/UTC") spec.add("timeZone", job.cron->zone);
  if (job.suspended) spec.add("suspend", true);
  spec.add("jobTemplate", std::move(of_each));
  return std::vector<Value>{cron_config(job), object()
                                                  .add("apiVersion", "batch/v1")
                                                  .add("kind", "CronJob")
                                                  .add("metadata", object_metadata(job))
                                                  .add("spec", std::move(spec))};
}

}  // namespace muster::kubernetes
