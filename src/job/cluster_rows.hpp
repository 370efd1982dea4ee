// The rows of muster.yml below targets.NAME.kubernetes.
#pragma once

#include "job/key.hpp"
#include "job/target.hpp"

namespace muster::job {

inline Cluster& cluster_of(Targets& targets) { return *targets.all.back().kubernetes; }

inline void add_cluster(Targets& targets, const Found& found) {
  targets.all.back().kubernetes.emplace().mark = found.key_mark;
}

template <auto... Members>
void into_cluster(Targets& targets, const Found& found) {
  store((cluster_of(targets).*....*Members), found);
}

template <auto List>
void add_to_cluster(Targets& targets, const Found& found) {
  auto& item = (cluster_of(targets).*List).emplace_back();
  item.mark = found.in_list ? found.node.begin : found.key_mark;
}

template <auto List, auto Member>
void into_last(Targets& targets, const Found& found) {
  store((cluster_of(targets).*List).back().*Member, found);
}

template <auto Member>
void into_volume(Targets& targets, const Found& found) {
  into_last<&Cluster::volumes, Member>(targets, found);
}

template <auto Member>
void into_toleration(Targets& targets, const Found& found) {
  into_last<&Cluster::tolerations, Member>(targets, found);
}

// The map below nfs, hostPath ...; complaints about it are the server's.
inline void set_volume_source(Targets& targets, const Found& found) {
  ClusterVolume& volume = cluster_of(targets).volumes.back();
  volume.kind =
      volume.kind.empty() ? std::string(found.key) : volume.kind + " " + std::string(found.key);
  volume.source = std::make_shared<const Node>(found.node);
}

using TargetKey = Key<Targets>;

template <auto Role>
inline constexpr TargetKey kPodResourceKeys[] = {
    {{"requests", Form::quantity, "What a pod is promised: cpu: 500m.", {.each = true}},
     into_cluster<Role, &PodResources::requests>},
    {{"limits", Form::quantity, "What a pod may use at most.", {.each = true}},
     into_cluster<Role, &PodResources::limits>},
};

inline constexpr TargetKey kClusterResources[] = {
    {{"launcher", Form::none, "The pod that holds the head."},
     nullptr,
     kPodResourceKeys<&Cluster::launcher>},
    {{"worker", Form::none, "The pods in which ranks run."},
     nullptr,
     kPodResourceKeys<&Cluster::worker>},
};

inline constexpr TargetKey kVolumeKeys[] = {
    {{"name", Form::text, "Its name among the pod's volumes."}, into_volume<&ClusterVolume::name>},
    {{"mount", Form::text, "The path at which the containers see it.", {.required = true}},
     into_volume<&ClusterVolume::mount>},
    {{"sub_path", Form::text, "The folder within the volume."},
     into_volume<&ClusterVolume::sub_path>},
    {{"read_only", Form::boolean, "Whether nothing can be written."},
     into_volume<&ClusterVolume::read_only>},
    {{"claim", Form::text, "A PersistentVolumeClaim."}, into_volume<&ClusterVolume::claim>},
    {{"nfs", Form::anything, "As in a pod."}, set_volume_source},
    {{"hostPath", Form::anything, "As in a pod."}, set_volume_source},
    {{"emptyDir", Form::anything, "As in a pod."}, set_volume_source},
    {{"configMap", Form::anything, "As in a pod."}, set_volume_source},
    {{"secret", Form::anything, "As in a pod."}, set_volume_source},
    {{"persistentVolumeClaim", Form::anything, "As in a pod."}, set_volume_source},
    {{"csi", Form::anything, "As in a pod."}, set_volume_source},
    {{"ephemeral", Form::anything, "As in a pod."}, set_volume_source},
    {{"projected", Form::anything, "As in a pod."}, set_volume_source},
};

inline constexpr TargetKey kTolerationKeys[] = {
    {{"key", Form::text, "The taint's key."}, into_toleration<&Toleration::key>},
    {{"operator", Form::choice, "Exists or Equal.", {.choices = "Exists Equal"}},
     into_toleration<&Toleration::op>},
    {{"value", Form::text, "The taint's value."}, into_toleration<&Toleration::value>},
    {{"effect",
      Form::choice,
      "What the taint does.",
      {.choices = "NoSchedule PreferNoSchedule NoExecute"}},
     into_toleration<&Toleration::effect>},
    {{"tolerationSeconds", Form::count, "For how long.", {.least = 0}},
     into_toleration<&Toleration::seconds>},
};

inline constexpr TargetKey kMpiKeys[] = {
    {{"implementation",
      Form::choice,
      "The MPI of the image (default: what the command or the image's name says).",
      {.choices = kMpiNames}},
     into_cluster<&Cluster::mpi, &ClusterMpi::implementation>},
    {{"ssh_folder", Form::text, "~/.ssh of user: (default: /home/mpiuser/.ssh)."},
     into_cluster<&Cluster::mpi, &ClusterMpi::ssh_folder>},
    {{"sshd_config", Form::text,
      "What sshd reads where user: runs it (default: .sshd_config beside ssh_folder)."},
     into_cluster<&Cluster::mpi, &ClusterMpi::sshd_config>},
};

inline constexpr TargetKey kGangKeys[] = {
    {{"by",
      Form::choice,
      "Whose gangs they are: volcano's or those of scheduler-plugins.",
      {.choices = "volcano scheduler-plugins", .required = true}},
     into_cluster<&Cluster::gang, &Gang::by>},
    {{"queue", Form::text, "Volcano's queue."}, into_cluster<&Cluster::gang, &Gang::queue>},
    {{"min_available", Form::count, "Pods that must have room (default: all)."},
     into_cluster<&Cluster::gang, &Gang::least>},
    {{"timeout", Form::count, "Seconds that scheduler-plugins waits for them."},
     into_cluster<&Cluster::gang, &Gang::timeout>},
};

inline constexpr TargetKey kClusterKeys[] = {
    {{"context", Form::text, "The context of kubeconfig (default: the current one)."},
     into_cluster<&Cluster::context>},
    {{"namespace", Form::text, "Where all objects go (default: that of the context)."},
     into_cluster<&Cluster::name_space>},
    {{"image", Form::text, "The image of jobs that name none."}, into_cluster<&Cluster::image>},
    {{"muster_image", Form::text, "An image with muster in it (default: it is pushed)."},
     into_cluster<&Cluster::muster_image>},
    {{"nodes", Form::count, "Worker pods at most."}, into_cluster<&Cluster::nodes>},
    {{"node_selector", Form::text, "Labels of nodes that take the pods.", {.each = true}},
     into_cluster<&Cluster::node_selector>},
    {{"tolerations", Form::none, "Taints that the pods tolerate.", {.listed = true}},
     add_to_cluster<&Cluster::tolerations>,
     kTolerationKeys},
    {{"volumes", Form::none, "What all containers see beside their image.", {.listed = true}},
     add_to_cluster<&Cluster::volumes>,
     kVolumeKeys},
    {{"code", Form::text, "Where the image or a volume has the code, for muster export."},
     into_cluster<&Cluster::code_folder>},
    {{"records", Form::text,
      "A folder in a volume, for records and outputs (default: in the pod)."},
     into_cluster<&Cluster::records>},
    {{"service_account", Form::text, "The account of the pods."},
     into_cluster<&Cluster::service_account>},
    {{"priority_class", Form::text, "The priority class of the pods."},
     into_cluster<&Cluster::priority_class>},
    {{"queue", Form::text, "Kueue's queue."}, into_cluster<&Cluster::queue>},
    {{"operator",
      Form::choice,
      "The operator that starts jobs in place of muster's own pods.",
      {.choices = "mpijob pytorchjob tfjob trainjob jobset"}},
     into_cluster<&Cluster::operator_kind>},
    {{"runtime", Form::text, "TrainJobs: the runtime, NAME or TrainingRuntime/NAME."},
     into_cluster<&Cluster::runtime>},
    {{"scheduler", Form::text, "The scheduler of the pods (default: the cluster's)."},
     into_cluster<&Cluster::scheduler>},
    {{"gang", Form::none, "Pods that start together or not at all."}, nullptr, kGangKeys},
    {{"mpi", Form::none, "The MPI of the image, for MPIJobs."}, nullptr, kMpiKeys},
    {{"security",
      Form::choice,
      "The Pod Security Standard that the pods keep (default: restricted).",
      {.choices = "restricted baseline"}},
     into_cluster<&Cluster::security>},
    {{"user",
      Form::count,
      "The processes' user id (default with restricted security: 1000).",
      {.most = 2'147'483'647}},
     into_cluster<&Cluster::user>},
    {{"gpu_resource", Form::text, "What GPUs are called (default: nvidia.com/gpu)."},
     into_cluster<&Cluster::gpu_resource>},
    {{"image_pull_policy",
      Form::choice,
      "When images are pulled.",
      {.choices = "Always IfNotPresent Never"}},
     into_cluster<&Cluster::image_pull_policy>},
    {{"image_pull_secrets",
      Form::text,
      "Secrets with credentials of registries.",
      {.listed = true}},
     into_cluster<&Cluster::image_pull_secrets>},
    {{"labels", Form::text, "Labels of all objects.", {.each = true}},
     into_cluster<&Cluster::labels>},
    {{"annotations", Form::text, "Annotations of all objects.", {.each = true}},
     into_cluster<&Cluster::annotations>},
    {{"resources", Form::none, "Requests and limits of the pods."}, nullptr, kClusterResources},
    {{"start_timeout", Form::count, "Seconds until all pods must be there."},
     into_cluster<&Cluster::start_timeout>},
    {{"ttl", Form::count, "Seconds that ended Jobs are kept.", {.least = 0}},
     into_cluster<&Cluster::ttl>},
};

}  // namespace muster::job
