// The words of volcano and of scheduler-plugins.
//
// Facts from mpi-operator, pkg/controller/podgroup.go: which of the policy's fields each of them
// takes; from volcano-sh/apis, pkg/apis/scheduling/v1beta1, and kubernetes-sigs/scheduler-plugins,
// apis/scheduling/v1alpha1: PodGroups, and how pods say theirs.
#include "kubernetes/gang.hpp"

#include <algorithm>

namespace muster::kubernetes {
namespace {

bool is_volcano(const job::Cluster& cluster) { return cluster.gang.by->text == "volcano"; }

std::uint32_t least_of(const job::Cluster& cluster, std::uint32_t pods) {
  return cluster.gang.least ? std::min(cluster.gang.least->number, pods) : pods;
}

}  // namespace

std::string scheduler_of(const job::Cluster& cluster) {
  if (cluster.scheduler) return cluster.scheduler->text;
  if (!has_gang(cluster)) return "";
  return is_volcano(cluster) ? "volcano" : "scheduler-plugins-scheduler";
}

bool has_gang(const job::Cluster& cluster) { return cluster.gang.by.has_value(); }

Value scheduling_policy(const job::Cluster& cluster, std::uint32_t pods) {
  Value policy = object();
  if (!has_gang(cluster)) return policy;
  policy.add("minAvailable", least_of(cluster, pods));
  if (cluster.gang.queue) policy.add("queue", cluster.gang.queue->text);
  if (cluster.priority_class) policy.add("priorityClass", cluster.priority_class->text);
  if (cluster.gang.timeout) policy.add("scheduleTimeoutSeconds", cluster.gang.timeout->number);
  return policy;
}

Value pod_group(const Run& run, Value meta) {
  const job::Cluster& cluster = run.cluster;
  const bool volcano = is_volcano(cluster);
  Value spec = object().add("minMember", least_of(cluster, nodes_of(run)));
  if (cluster.gang.queue) spec.add("queue", cluster.gang.queue->text);
  if (volcano && cluster.priority_class) {
    spec.add("priorityClassName", cluster.priority_class->text);
  }
  if (cluster.gang.timeout) spec.add("scheduleTimeoutSeconds", cluster.gang.timeout->number);
  return object()
      .add("apiVersion", volcano ? "scheduling.volcano.sh/v1beta1" : "scheduling.x-k8s.io/v1alpha1")
      .add("kind", "PodGroup")
      .add("metadata", std::move(meta))
      .add("spec", std::move(spec));
}

void join_gang(Value& meta, const Run& run) {
  if (!has_gang(run.cluster)) return;
  const bool volcano = is_volcano(run.cluster);
  const std::string_view where = volcano ? "annotations" : "labels";
  const char* const key =
      volcano ? "scheduling.k8s.io/group-name" : "scheduling.x-k8s.io/pod-group";
  const auto found = std::ranges::find(meta.fields, where, &Field::name);
  if (found != meta.fields.end()) {
    found->value.add(key, object_name(run.name));
  } else {
    meta.add(std::string(where), object().add(key, object_name(run.name)));
  }
}

std::string pod_group_resource(const job::Cluster& cluster) {
  return is_volcano(cluster) ? "podgroups.scheduling.volcano.sh" : "podgroups.scheduling.x-k8s.io";
}

}  // namespace muster::kubernetes
