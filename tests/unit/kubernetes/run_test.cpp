// Names, quantities and resources of a run in a cluster; what pods are told.
#include "kubernetes/run.hpp"

#include <gtest/gtest.h>

#include "job/read_job.hpp"
#include "kubernetes/job_run.hpp"
#include "kubernetes/render.hpp"
#include "kubernetes/text.hpp"

namespace muster::kubernetes {
namespace {

job::Text text_of_value(const std::string& text) { return {text, {}, {}, false}; }

using Words = std::vector<Word>;

TEST(KubernetesNames, AreLabelsOfDns) {
  EXPECT_EQ(object_name("bold-otter-1"), "bold-otter-1");
  EXPECT_EQ(object_name("Bold_Otter..1-"), "bold-otter-1");
  EXPECT_EQ(name_of_record("20261121-212530.123-kufari"), "kufari-20261121-212530.123");
  EXPECT_EQ(name_of_record("run"), "run");
  EXPECT_EQ(object_name("3rd"), "m3rd");
  EXPECT_EQ(object_name("-x"), "m-x");
  EXPECT_EQ(object_name("ä"), "m");
  EXPECT_EQ(object_name(""), "muster");
  EXPECT_EQ(object_name(std::string(99, 'a')).size(), 40U);
  EXPECT_EQ(object_name(std::string(39, 'a') + "-b"), std::string(39, 'a'));
}

TEST(KubernetesQuantities, HaveTheUnitsOfKubernetes) {
  EXPECT_EQ(quantity("500m"), "500m");
  EXPECT_EQ(quantity("2g"), "2Gi");
  EXPECT_EQ(quantity("500MB"), "500M");
  EXPECT_EQ(quantity("2KB"), "2k");
  EXPECT_EQ(quantity("1K"), "1Ki");
  EXPECT_EQ(quantity("7b"), "7");
  EXPECT_EQ(quantity("1.5Gi"), "1.5Gi");
  EXPECT_EQ(docker_quantity("500m"), "500Mi");
  EXPECT_EQ(docker_quantity("2g"), "2Gi");
  EXPECT_EQ(docker_quantity("2Gi"), "2Gi");
  EXPECT_EQ(docker_quantity("64"), "64");
}

TEST(KubernetesResources, OfTheJobWinOverTheTypeAndThatOverTheTarget) {
  job::PodResources defaults;
  defaults.requests = {{"cpu", {}, text_of_value("1")}, {"rdma/hca", {}, text_of_value("1")}};
  defaults.limits = {{"memory", {}, text_of_value("1Gi")}, {"rdma/hca", {}, text_of_value("1")}};
  job::Limits limits;
  limits.cpu = text_of_value("3");
  limits.gpu = job::Count{2, {}};
  job::InstanceType type;
  type.gpus = 8;
  type.memory = text_of_value("64Gi");
  const Resources made = resources_of(limits, &type, defaults, "nvidia.com/gpu");
  const Words all = {{"cpu", "3"}, {"memory", "64Gi"}, {"nvidia.com/gpu", "2"}, {"rdma/hca", "1"}};
  EXPECT_EQ(made.limits, all);
  EXPECT_EQ(made.requests, all);
  const Resources only = resources_of({}, nullptr, defaults, "nvidia.com/gpu");
  EXPECT_EQ(only.limits, (Words{{"memory", "1Gi"}, {"rdma/hca", "1"}}));
  EXPECT_EQ(only.requests, (Words{{"cpu", "1"}, {"memory", "1Gi"}, {"rdma/hca", "1"}}));
}

TEST(KubernetesResources, OfALauncherAreModestUnlessSomebodySaysMore) {
  EXPECT_EQ(launcher_resources({}, {}, "g").limits, (Words{{"cpu", "500m"}, {"memory", "512Mi"}}));
  job::Limits limits;
  limits.memory = text_of_value("2Gi");
  EXPECT_EQ(launcher_resources(limits, {}, "g").requests,
            (Words{{"cpu", "500m"}, {"memory", "2Gi"}}));
}

struct Outcome {
  kubernetes::Run run;
  std::vector<std::string> complaints;
};

Outcome run_for(const std::string& job_text, const std::string& cluster) {
  const job::Targets targets =
      job::read_targets("targets: {t: {kubernetes: " + cluster + "}}\n", "m").targets;
  const job::JobFile job = job::read_job(job_text, "j").job;
  const job::Layout layout = job::layout_of(job, targets.instance_types);
  job::Complaints complaints("j");
  Outcome outcome{run_of("r", {job, layout, targets.all.front(), {}}, complaints), {}};
  for (const base::Error& error : std::move(complaints).take()) {
    outcome.complaints.push_back(base::to_string(error));
  }
  return outcome;
}

TEST(KubernetesRun, NeedsAnImageAndItsNodes) {
  EXPECT_EQ(
      run_for("command: x\n", "{}").complaints,
      std::vector<std::string>{"j: the job names no image, and target 't' has none\n"
                               "  hint: write environment: {image: IMAGE} in the job file, or "
                               "kubernetes: {image: IMAGE} in muster.yml"});
  EXPECT_EQ(run_for("command: x\n", "{image: a}").complaints, std::vector<std::string>{});
  EXPECT_EQ(run_for("command: x\nenvironment: azureml:E@latest\n", "{}").complaints.size(), 1U);
  EXPECT_EQ(run_for("command: x\nenvironment: azureml:E@latest\n", "{image: a}").run.launcher.image,
            "a");
  EXPECT_EQ(run_for("command: x\ndistribution: {type: mpi}\nresources: {instance_count: 4}\n",
                    "{image: a, nodes: 3}")
                .complaints,
            std::vector<std::string>{"j:3:29: the job needs 4 nodes, and target 't' has 3\n"
                                     "  hint: choose a target with more nodes, or request fewer"});
}

TEST(KubernetesRun, TimeAndSharedMemoryArePassedOn) {
  const kubernetes::Run run =
      run_for(
          "command: x\nenvironment: {image: i}\nresources: {shm_size: 2g}\nlimits: "
          "{timeout: 1.5}\n",
          "{start_timeout: 60}")
          .run;
  EXPECT_EQ(run.timeout, std::chrono::seconds(2));
  EXPECT_EQ(run.start_timeout, 60U);
  EXPECT_EQ(run.workers.front().plan.shared_memory, "2Gi");
  EXPECT_EQ(text_at(launcher_object(run), "spec.activeDeadlineSeconds"), "182");
}

TEST(KubernetesRun, AddressesOfVersion6StandInBrackets) {
  kubernetes::Run run;
  EXPECT_EQ(join_words(run, "fd00::1", "0")[1], "[fd00::1]:7400");
  EXPECT_EQ(join_words(run, "10.0.0.1", "0")[1], "10.0.0.1:7400");
}

TEST(KubernetesRun, WhatBelongsToAJobGoesWithIt) {
  const kubernetes::Run run = run_for("command: x\nenvironment: {image: i}\n", "{}").run;
  const Value owned = owned_by(secret_object(run), {"batch/v1", "Job", "r-launcher", "u-1"});
  const Value* owners = owned.at("metadata.ownerReferences");
  ASSERT_NE(owners, nullptr);
  EXPECT_EQ(text_at(owners->items.front(), "uid"), "u-1");
  EXPECT_EQ(selector(run), "app.kubernetes.io/managed-by=muster,app.kubernetes.io/instance=r");
}

TEST(KubernetesRun, NothingIsReplacedInWordsOfUsers) {
  EXPECT_EQ(literal(std::string("a $(B) $$ $C $((1)) $")), "a $$(B) $$$ $C $$((1)) $");
  kubernetes::Run run = run_for("command: x\nenvironment: {image: i}\n", "{}").run;
  run.launcher.command = {"echo", "$(HOME)"};
  run.launcher.variables = {{"A", "$(B)"}};
  const std::string text = to_json(launcher_object(run));
  EXPECT_NE(text.find("\"$$(HOME)\""), std::string::npos);
  EXPECT_NE(text.find("\"$$(B)\""), std::string::npos);
}

TEST(KubernetesText, TextThatIsNoUtf8IsAnError) {
  EXPECT_FALSE(to_yaml({object().add("a", "\xff")}));
  EXPECT_EQ(*to_yaml({object().add("a", "b"), object().add("c", 1)}), "a: b\n---\nc: 1\n");
}

}  // namespace
}  // namespace muster::kubernetes
