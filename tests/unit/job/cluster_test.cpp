// A target of muster.yml that is a cluster of Kubernetes: its keys, and what is wrong with them.
#include "job/cluster.hpp"

#include <gtest/gtest.h>

#include "job/job_spec.hpp"
#include "job/read_job.hpp"
#include "job/target.hpp"

namespace muster::job {
namespace {

constexpr std::string_view kAll = R"(
targets:
  lab:
    kubernetes:
      context: admin@lab
      namespace: team-a
      image: docker.io/pytorch
      muster_image: registry/muster:1
      nodes: 16
      node_selector: {pool: gpu, example.com/zone: a}
      tolerations:
      - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
      - {key: spot, value: 'true', tolerationSeconds: 60}
      volumes:
      - {mount: /data, claim: data, read_only: true}
      - {name: scratch, mount: /scratch, nfs: {server: nas, path: /x}, sub_path: me}
      code: /data/code
      service_account: jobs
      priority_class: high
      queue: team-a
      operator: mpijob
      mpi: {implementation: Intel, ssh_folder: /home/me/.ssh, sshd_config: /home/me/sshd}
      runtime: TrainingRuntime/mine
      scheduler: other
      gang: {by: volcano, queue: q, min_available: 3}
      security: baseline
      user: 4711
      gpu_resource: amd.com/gpu
      image_pull_policy: Always
      image_pull_secrets: [one, two]
      labels: {team: a}
      annotations: {note: "any text: at all"}
      resources:
        launcher: {requests: {cpu: 100m}, limits: {memory: 1Gi}}
        worker: {limits: {rdma/hca: 1}}
      start_timeout: 600
      ttl: 0
instance_types:
  big: {gpus: 8, cpu: 96, memory: 1800Gi, node_selector: {type: nd96}}
  small: 1
)";

std::vector<std::string> cluster_complaints(const std::string& keys) {
  std::vector<std::string> said;
  for (const base::Error& error :
       read_targets("targets: {a: {kubernetes: " + keys + "}}\n", "m").complaints) {
    said.push_back(base::to_string(error));
  }
  return said;
}

TEST(Cluster, UsersAreThoseThatKubernetesTakes) {
  EXPECT_TRUE(cluster_complaints("{user: 2147483647}").empty());
  const auto said = cluster_complaints("{user: 2147483648}");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said.front(),
            "m:1:34: targets.a.kubernetes.user must be a whole number from 1 to 2147483647, not "
            "'2147483648'");
}

TEST(Cluster, AllItsKeysAreRead) {
  const TargetsReading read = read_targets(kAll, "m");
  for (const base::Error& error : read.complaints) ADD_FAILURE() << base::to_string(error);
  ASSERT_EQ(read.targets.all.size(), 1U);
  const Cluster& cluster = *read.targets.all.front().kubernetes;
  EXPECT_EQ(cluster.context->text, "admin@lab");
  EXPECT_EQ(cluster.name_space->text, "team-a");
  EXPECT_EQ(cluster.nodes->number, 16U);
  ASSERT_EQ(cluster.node_selector.size(), 2U);
  EXPECT_EQ(cluster.node_selector[1].name, "example.com/zone");
  ASSERT_EQ(cluster.tolerations.size(), 2U);
  EXPECT_EQ(cluster.tolerations[0].op->text, "Exists");
  EXPECT_EQ(cluster.tolerations[1].seconds->number, 60U);
  ASSERT_EQ(cluster.volumes.size(), 2U);
  EXPECT_TRUE(cluster.volumes[0].read_only);
  EXPECT_EQ(cluster.volumes[0].claim->text, "data");
  EXPECT_EQ(cluster.volumes[1].kind, "nfs");
  EXPECT_EQ(find(*cluster.volumes[1].source, "server")->value->text, "nas");
  EXPECT_EQ(cluster.image_pull_secrets.size(), 2U);
  EXPECT_EQ(cluster.launcher.requests.front().value.text, "100m");
  EXPECT_EQ(cluster.worker.limits.front().name, "rdma/hca");
  EXPECT_EQ(cluster.start_timeout->number, 600U);
  EXPECT_EQ(cluster.ttl->number, 0U);
  EXPECT_EQ(cluster.user->number, 4711U);
}

TEST(Cluster, InstanceTypesSayWhatPodsGet) {
  const Targets targets = read_targets(kAll, "m").targets;
  const InstanceType* big = find_type("Big", targets.instance_types);
  ASSERT_NE(big, nullptr);
  EXPECT_EQ(big->gpus, 8U);
  EXPECT_EQ(big->memory->text, "1800Gi");
  EXPECT_EQ(big->node_selector.front().value.text, "nd96");
  EXPECT_EQ(gpus_of("small", targets.instance_types), 1U);
  EXPECT_EQ(find_type("other", targets.instance_types), nullptr);
}

TEST(Cluster, MistakesAreToldWithTheirPlaces) {
  const auto one = [](const std::string& keys) {
    const std::vector<std::string> all = cluster_complaints(keys);
    return all.size() == 1 ? all.front() : std::to_string(all.size()) + " complaints";
  };
  EXPECT_EQ(one("{namespce: a}"),
            "m:1:28: unknown key 'namespce' in targets.a.kubernetes\n"
            "  hint: did you mean namespace?");
  EXPECT_EQ(one("{namespace: Team_A}"),
            "m:1:39: targets.a.kubernetes.namespace cannot be 'Team_A'\n"
            "  hint: it has small letters, digits and -, 63 at most");
  EXPECT_EQ(one("{volumes: [{mount: data, claim: c}]}"),
            "m:1:46: targets.a.kubernetes.volumes.mount must be an absolute path, not 'data'");
  EXPECT_EQ(one("{volumes: [{mount: /d}]}"),
            "m:1:38: targets.a.kubernetes.volumes has an item without a source\n"
            "  hint: for example: {mount: /data, claim: NAME}");
  EXPECT_EQ(one("{volumes: [{mount: /d, claim: c, nfs: {}}]}"),
            "m:1:38: targets.a.kubernetes.volumes has an item with two sources\n"
            "  hint: keep one of them");
  EXPECT_EQ(one("{records: /data/m, volumes: [{mount: /dat, claim: c}]}"),
            "m:1:37: targets.a.kubernetes.records lies in no volume that can be written: "
            "'/data/m'\n"
            "  hint: for example: volumes: [{mount: /data, claim: NAME}], records: /data/muster");
  EXPECT_TRUE(
      cluster_complaints("{records: /data/m, volumes: [{mount: /data, claim: c}]}").empty());
  EXPECT_EQ(one("{tolerations: [{effect: NoSchedule}]}"),
            "m:1:42: targets.a.kubernetes.tolerations has an item without a key\n"
            "  hint: only operator: Exists goes without one");
  EXPECT_EQ(one("{operator: mpi}"),
            "m:1:38: targets.a.kubernetes.operator must be one of mpijob, pytorchjob, tfjob, "
            "trainjob, jobset, not 'mpi'");
  EXPECT_EQ(one("{gang: {queue: q}}"),
            "m:1:34: the key targets.a.kubernetes.gang.by is missing\n"
            "  hint: by: Whose gangs they are: volcano's or those of scheduler-plugins.");
  EXPECT_EQ(one("{gang: {by: volcano, timeout: 60}}"),
            "m:1:57: targets.a.kubernetes.gang.timeout has no meaning with by: volcano, which "
            "waits without end\n"
            "  hint: remove it");
  EXPECT_EQ(one("{gang: {by: scheduler-plugins, queue: q}}"),
            "m:1:65: targets.a.kubernetes.gang.queue has no meaning with by: scheduler-plugins\n"
            "  hint: remove it; Kueue's queue is the key queue: beside gang:");
  EXPECT_EQ(one("{mpi: {ssh_folder: .ssh}}"),
            "m:1:46: targets.a.kubernetes.mpi.ssh_folder must be an absolute path, not '.ssh'");
  EXPECT_EQ(one("{runtime: Runtime/x}"),
            "m:1:37: targets.a.kubernetes.runtime cannot be 'Runtime/x'\n"
            "  hint: write NAME for a ClusterTrainingRuntime, or TrainingRuntime/NAME");
  EXPECT_EQ(one("{resources: {worker: {limits: {cpu: lots}}}}"),
            "m:1:63: targets.a.kubernetes.resources.worker.limits.cpu must be a number with an "
            "optional unit, such as 4, 500m or 2Gi, not 'lots'");
}

TEST(Cluster, IsNoListOfHosts) {
  const auto read = read_targets("targets: {a: {hosts: h, kubernetes: {}}}\n", "m");
  ASSERT_EQ(read.complaints.size(), 1U);
  EXPECT_EQ(read.complaints.front().what,
            "targets.a has more than one of hosts, hostfile, fake_nodes, kubernetes, slurm and "
            "grid_engine");
}

TEST(Cluster, OnlyThereWhatIsForPodsHasAnEffect) {
  const std::string text =
      "command: mpirun x\ncompute: {infrastructure: k8s}\ndistributed: {mpi: {worker: {count: 1, "
      "resources: {limits: {cpu: 2}}}, launcher: {resources: {limits: {cpu: 1}}}}}\n";
  const auto notices = [&](bool on_cluster) {
    Place place;
    if (on_cluster) place.target.kubernetes.emplace();
    const JobReading read = read_job(text, "j");
    Complaints complaints("j");
    return make_spec(read.job, {}, place, "/jobs", complaints).notices;
  };
  EXPECT_EQ(notices(false),
            (std::vector<std::string>{
                "the launcher's limits have no effect here: it has no machine of its own",
                "compute.infrastructure has no effect here: muster.yml says what a target is",
                "limits for cpu and memory have no effect here: processes share what their host "
                "has"}));
  EXPECT_EQ(notices(true), std::vector<std::string>{});
}

}  // namespace
}  // namespace muster::job
