// What a run of each of seed 002's jobs is in a cluster: tests/golden/data/kubernetes/NAME.yml.
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "golden/golden.hpp"
#include "job/read_job.hpp"
#include "kubernetes/job_run.hpp"
#include "kubernetes/render.hpp"
#include "kubernetes/text.hpp"

namespace muster::golden {
namespace {

constexpr std::string_view kTargets = R"(
targets:
  plain:
    kubernetes: {}
  full:
    kubernetes:
      namespace: team-a
      image: registry.example/python
      muster_image: registry.example/muster:1
      node_selector: {pool: gpu}
      tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
      volumes:
      - {mount: /data, claim: data, read_only: true}
      - {name: scratch, mount: /scratch, nfs: {server: nas, path: /x}}
      service_account: jobs
      priority_class: high
      queue: team-a
      security: baseline
      image_pull_policy: IfNotPresent
      image_pull_secrets: [registry]
      labels: {team: a}
      annotations: {contact: "mail: a@example"}
      resources: {worker: {requests: {cpu: 4}, limits: {memory: 16g}}}
      start_timeout: 300
      ttl: 3600
  gang:
    kubernetes:
      gang: {by: scheduler-plugins, timeout: 600}
instance_types:
  Standard_NC24: {gpus: 4, cpu: 20, memory: 200Gi, node_selector: {type: nc24}}
)";

std::string example_text(const std::string& name) {
  std::ifstream file(MUSTER_SOURCE_DIR "/examples/jobs/" + name + ".yml");
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Wanted {
  std::string job;
  std::string target;
  bool indexed;
};

class ClusterRun : public testing::TestWithParam<Wanted> {};

TEST_P(ClusterRun, IsTheseObjects) {
  const auto [name, target, indexed] = GetParam();
  const job::Targets targets = job::read_targets(kTargets, "m").targets;
  const job::JobFile job = job::read_job(example_text(name), "job.yml").job;
  const job::Layout layout = job::layout_of(job, targets.instance_types);
  const auto chosen = job::choose_target(targets, target);
  ASSERT_TRUE(chosen);
  job::Complaints complaints("job.yml");
  kubernetes::Run run = kubernetes::run_of(
      "Bold_Otter-1", {job, layout, *chosen, targets.instance_types}, complaints);
  EXPECT_TRUE(complaints.empty());
  run.indexed = indexed;
  run.launcher.command = {"/run/muster/muster", "submit", "--target", "allocation", "job.yml"};
  const auto text = kubernetes::to_yaml(kubernetes::render(run, "10.1.2.3"));
  ASSERT_TRUE(text);
  expect_golden("kubernetes/" + name + "_" + target + (indexed ? "" : "_pods") + ".yml", *text);
}

INSTANTIATE_TEST_SUITE_P(
    Seed, ClusterRun,
    testing::Values(Wanted{"horovodrun", "plain", true}, Wanted{"mpirun", "full", true},
                    Wanted{"mpirun_same_environment", "plain", true},
                    Wanted{"mpirun_k8s", "plain", true}, Wanted{"mpirun_k8s", "plain", false},
                    Wanted{"torch_launch", "full", true}, Wanted{"torch_k8s", "plain", true},
                    Wanted{"torch_k8s", "gang", true}, Wanted{"torch_k8s", "gang", false},
                    Wanted{"tensorflow_workers", "plain", true},
                    Wanted{"tensorflow_servers", "plain", true},
                    Wanted{"tensorflow_servers", "full", false}),
    [](const auto& one) {
      return one.param.job + "_" + one.param.target + (one.param.indexed ? "" : "_pods");
    });

}  // namespace
}  // namespace muster::golden
