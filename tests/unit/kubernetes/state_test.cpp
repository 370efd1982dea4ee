// What is read out of kubectl's JSON, as servers 1.20 and 1.32 print it; and which fields a server
// has dropped.
#include "kubernetes/state.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::kubernetes {
namespace {

// A worker's pod with such a status; `more` are further fields of its metadata.
std::string worker(const std::string& status, const std::string& more = "") {
  return R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "run-worker-3-x7k2p",
    "labels": {"app.kubernetes.io/component": "worker"},
    "annotations": {"batch.kubernetes.io/job-completion-index": "3"})" +
         more + R"(}, "spec": {"nodeName": "n1", "containers": [{"name": "worker",
    "resources": {"limits": {"memory": "2Gi"}}}]}, "status": )" +
         status + "}";
}

RunState state_of(const std::string& items) {
  const auto json = read_json(R"({"apiVersion": "v1", "kind": "List", "items": [)" + items + "]}");
  EXPECT_TRUE(json) << items;
  return json ? read_state(*json) : RunState{};
}

// The only cause, as "kind: what | hint".
std::string cause_of(const std::string& items) {
  const RunState state = state_of(items);
  if (state.causes.size() != 1) return fmt::format("{} causes", state.causes.size());
  const Cause& one = state.causes.front();
  return fmt::format("{}{}: {}", word(one.kind), one.is_final ? "!" : "", one.what);
}

std::string waiting(const std::string& reason, const std::string& message) {
  return fmt::format(
      R"({{"phase": "Pending", "containerStatuses": [{{"name": "worker", "image": "Reg/x",
      "state": {{"waiting": {{"reason": "{}", "message": "{}"}}}}}}]}})",
      reason, message);
}

TEST(KubernetesState, PodsAreInTheOrderOfTheRun) {
  const RunState state =
      state_of(worker(R"({"phase": "Running", "podIP": "10.1.0.4"})") +
               R"(, {"kind": "Pod", "metadata": {"name": "run-worker-0", "deletionTimestamp": "x",
         "labels": {"app.kubernetes.io/component": "worker"}}, "spec": {},
         "status": {"phase": "Pending"}},
         {"kind": "Pod", "metadata": {"name": "run-launcher-abc",
         "labels": {"app.kubernetes.io/component": "launcher"}}, "spec": {"nodeName": "n2"},
         "status": {"phase": "Failed", "containerStatuses": [{"name": "launcher",
         "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}]}})");
  ASSERT_EQ(state.pods.size(), 3U);
  EXPECT_EQ(state.pods[0], (PodState{.name = "run-launcher-abc",
                                     .role = "launcher",
                                     .host = "n2",
                                     .phase = Phase::failed,
                                     .code = 3,
                                     .reason = "Error"}));
  EXPECT_EQ(state.pods[1], (PodState{.name = "run-worker-0",
                                     .role = "worker",
                                     .node = 0,
                                     .phase = Phase::pending,
                                     .is_going = true}));
  EXPECT_EQ(state.pods[2], (PodState{.name = "run-worker-3-x7k2p",
                                     .role = "worker",
                                     .host = "n1",
                                     .address = "10.1.0.4",
                                     .node = 3,
                                     .phase = Phase::running}));
}

// A launcher's pod of the run that is named, with such a status.
std::string launcher(const std::string& run, const std::string& status) {
  return fmt::format(
      R"({{"kind": "Pod", "metadata": {{"name": "{0}-launcher-a", "labels": {{
      "app.kubernetes.io/component": "launcher", "app.kubernetes.io/instance": "{0}"}}}},
      "spec": {{"nodeName": "n2"}}, "status": {1}}})",
      run, status);
}

TEST(KubernetesState, WhatAContainerHasLeftToBeRead) {
  const RunState ended = state_of(launcher("run", R"({"phase": "Failed", "reason": "Evicted",
      "message": "low on memory", "containerStatuses": [{"name": "launcher", "state": {"terminated":
      {"exitCode": 2, "reason": "Error", "message": "muster: no"}}}]})"));
  ASSERT_EQ(ended.pods.size(), 1U);
  EXPECT_EQ(ended.pods[0].code, 2);
  EXPECT_EQ(ended.pods[0].reason, "Evicted");
  EXPECT_EQ(ended.pods[0].message, "muster: no");
  const RunState evicted =
      state_of(launcher("run", R"({"phase": "Failed", "message": "low on memory"})"));
  EXPECT_EQ(evicted.pods.at(0).message, "low on memory");
  const RunState runs = state_of(launcher("run", R"({"phase": "Running", "containerStatuses":
      [{"name": "launcher", "state": {"running": {"startedAt": "x"}}}]})"));
  EXPECT_TRUE(runs.pods.at(0).runs);
}

TEST(KubernetesState, OtherRunsAreLeftOut) {
  const std::string status = R"({"phase": "Running"})";
  const auto json = read_json(R"({"items": [)" + launcher("one", status) + ", " +
                              launcher("other", status) + "]}");
  ASSERT_TRUE(json);
  const RunState state = read_state(*json, "one");
  ASSERT_EQ(state.pods.size(), 1U);
  EXPECT_EQ(state.pods[0].run, "one");
  EXPECT_EQ(read_state(*json).pods.size(), 2U);
}

TEST(KubernetesState, JobsThatLackPods) {
  const auto job = [](const std::string& status) {
    return state_of(R"({"kind": "Job", "metadata": {"name": "j"}, "spec": {"parallelism": 2},
        "status": )" +
                    status + "}")
        .jobs.at(0);
  };
  EXPECT_TRUE(job("{}").lacks_pods);
  EXPECT_TRUE(job(R"({"active": 1})").lacks_pods);
  EXPECT_FALSE(job(R"({"active": 1, "failed": 1})").lacks_pods);
  const JobState over = job(R"({"conditions": [{"type": "Failed", "status": "True"}]})");
  EXPECT_TRUE(over.is_over);
  EXPECT_FALSE(over.lacks_pods);
}

TEST(KubernetesState, AllIsWellWithoutACause) {
  EXPECT_EQ(state_of(worker(R"({"phase": "Running"})")).causes.size(), 0U);
  EXPECT_EQ(state_of("").pods.size(), 0U);
  EXPECT_EQ(cause_of(worker(waiting("ContainerCreating", ""))), "0 causes");
}

TEST(KubernetesState, ThatNoNodeTakesAPodIsInTheSchedulersWords) {
  EXPECT_EQ(cause_of(worker(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled",
      "status": "False", "reason": "Unschedulable",
      "message": "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."}]})")),
            "unschedulable: worker 3 (pod run-worker-3-x7k2p on n1) has no node: 0/2 nodes are "
            "available: 2 Insufficient nvidia.com/gpu");
}

TEST(KubernetesState, ImagesAndContainersThatCannotBeHad) {
  const std::string who = "worker 3 (pod run-worker-3-x7k2p on n1) ";
  EXPECT_EQ(cause_of(worker(waiting("ErrImagePull", "not found"))),
            "image_pull: " + who + "cannot pull its image: not found");
  EXPECT_EQ(cause_of(worker(waiting("ImagePullBackOff", ""))),
            "image_pull!: " + who + "cannot pull its image: Reg/x");
  EXPECT_EQ(cause_of(worker(waiting("InvalidImageName", "bad"))),
            "image_name!: " + who + "has an image whose name is none: bad");
  EXPECT_EQ(cause_of(worker(waiting("CreateContainerConfigError",
                                    "container has runAsNonRoot and image will run as root"))),
            "config!: " + who +
                "cannot have its container made: container has runAsNonRoot and image will run as "
                "root");
}

TEST(KubernetesState, WhatEndedAPod) {
  const std::string who = "worker 3 (pod run-worker-3-x7k2p on n1) ";
  EXPECT_EQ(cause_of(worker(R"({"phase": "Failed", "containerStatuses": [{"name": "worker",
      "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]})")),
            "out_of_memory!: " + who + "was ended for want of memory (its limit is 2Gi)");
  EXPECT_EQ(cause_of(worker(R"({"phase": "Failed", "reason": "Evicted",
      "message": "The node was low on resource: memory. "})")),
            "evicted!: " + who + "was evicted from its node: The node was low on resource: memory");
  EXPECT_EQ(cause_of(worker(R"({"phase": "Failed", "conditions": [{"type": "DisruptionTarget",
      "status": "True", "reason": "PreemptionByScheduler"}]})")),
            "preempted!: " + who + "made room for a pod of higher priority");
  EXPECT_EQ(cause_of(worker(R"({"phase": "Failed", "reason": "DeadlineExceeded",
      "message": "Pod was active on the node longer than the specified deadline"})")),
            "deadline!: " + who +
                "was ended at its deadline: Pod was active on the node longer "
                "than the specified deadline");
  EXPECT_EQ(cause_of(worker(R"({"phase": "Running", "reason": "NodeLost"})")),
            "node_lost!: " + who + "was lost with its node");
  EXPECT_EQ(cause_of(worker(R"({"phase": "Running"})", R"(, "deletionTimestamp": "x")")),
            "deleted!: " + who + "was deleted");
}

std::string pod_event(const std::string& pod, const std::string& reason,
                      const std::string& message) {
  return fmt::format(
      R"({{"kind": "Event", "reason": "{}", "message": "{}", "source": {{"host": "n7"}},
      "involvedObject": {{"kind": "Pod", "name": "{}"}}}})",
      reason, message, pod);
}

// Servers before 1.26 say it in events only, and the pod may be gone.
TEST(KubernetesState, EventsTellWhatHasEndedAPod) {
  const std::string name = "run-worker-3-x7k2p";
  const std::string going = worker(R"({"phase": "Running"})", R"(, "deletionTimestamp": "x")");
  const std::string killing = ", " + pod_event(name, "Killing", "Stopping container worker");
  const std::string evicting =
      ", " + pod_event(name, "TaintManagerEviction", "Marking for deletion Pod jobs/x");
  const std::string who = "worker 3 (pod run-worker-3-x7k2p on n1) ";
  EXPECT_EQ(cause_of(going + killing), "deleted!: " + who + "was deleted");
  EXPECT_EQ(cause_of(going + killing + evicting), "node_lost!: " + who + "was lost with its node");
  EXPECT_EQ(cause_of(going + ", " + pod_event(name, "TaintManagerEviction", "Cancelling deletion")),
            "deleted!: " + who + "was deleted");
  EXPECT_EQ(cause_of(going + killing + ", " + pod_event(name, "Preempted", "Preempted by a/b")),
            "preempted!: " + who + "made room for a pod of higher priority");
  // Its own status knows better.
  EXPECT_EQ(cause_of(worker(R"({"phase": "Failed", "reason": "Evicted"})") + evicting),
            "evicted!: " + who + "was evicted from its node");
  EXPECT_EQ(cause_of(worker(R"({"phase": "Succeeded"})") + killing + evicting), "0 causes");
  EXPECT_EQ(cause_of(worker(R"({"phase": "Running"})") + killing), "0 causes");
}

TEST(KubernetesState, ANodeThatDoesNotAnswerMayComeBack) {
  const std::string event =
      ", " + pod_event("run-worker-3-x7k2p", "NodeNotReady", "Node is not ready");
  const std::string ready = R"({"phase": "Running", "conditions": [{"type": "Ready", "status": )";
  EXPECT_EQ(cause_of(worker(ready + R"("False"}]})") + event),
            "node_lost: worker 3 (pod run-worker-3-x7k2p on n1) is on a node that does not answer");
  EXPECT_EQ(cause_of(worker(ready + R"("True"}]})") + event), "0 causes");
}

TEST(KubernetesState, EventsTellOfPodsThatAreGone) {
  const auto json =
      read_json(R"({"items": [)" + pod_event("run-worker-1", "Killing", "Stopping container") +
                ", " + pod_event("run-launcher-a2", "Killing", "Stopping") + ", " +
                pod_event("runner-worker-1", "Killing", "Stopping") + "]}");
  ASSERT_TRUE(json);
  EXPECT_EQ(read_state(*json).causes.size(), 0U);
  const RunState state = read_state(*json, "run");
  EXPECT_EQ(state.pods.size(), 0U);
  ASSERT_EQ(state.causes.size(), 2U);
  EXPECT_EQ(state.causes[0].what, "the launcher (pod run-launcher-a2 on n7) was deleted");
  EXPECT_EQ(state.causes[1].what, "worker 1 (pod run-worker-1 on n7) was deleted");
}

TEST(KubernetesState, JobsThatCannotMakePods) {
  const std::string job = R"({"kind": "Job", "metadata": {"name": "run-worker"},
      "spec": {"activeDeadlineSeconds": 90}, "status": {}})";
  const auto event = [](const std::string& name, const std::string& message) {
    return fmt::format(R"(, {{"kind": "Event", "reason": "FailedCreate",
        "involvedObject": {{"kind": "Job", "name": "{}"}}, "message": "{}"}})",
                       name, message);
  };
  const std::string quota = "pods is forbidden: exceeded quota: q, requested: pods=4, limited: 2";
  EXPECT_EQ(cause_of(job + event("run-worker", quota) + event("run-worker", quota)),
            "quota: job run-worker cannot make its pods: exceeded quota: q, requested: pods=4, "
            "limited: 2");
  EXPECT_EQ(cause_of(job + event("run-worker", "violates PodSecurity restricted")),
            "refused: job run-worker cannot make its pods: violates PodSecurity restricted");
  EXPECT_EQ(cause_of(job + event("another", quota)), "0 causes");
  EXPECT_EQ(cause_of(R"({"kind": "Job", "metadata": {"name": "j"},
      "spec": {"activeDeadlineSeconds": 90}, "status": {"conditions": [{"type": "Failed",
      "status": "True", "reason": "DeadlineExceeded"}]}})"),
            "deadline!: job j was ended at its deadline of 90 s");
}

TEST(KubernetesState, NoJsonIsAnError) {
  EXPECT_FALSE(read_json("{"));
  EXPECT_FALSE(read_json(""));
  EXPECT_FALSE(read_json(std::string(200, '[') + std::string(200, ']')));
  EXPECT_EQ(state_of(R"(3, "x", {}, {"kind": "Pod"}, {"kind": "Event"})").causes.size(), 0U);
}

TEST(DroppedFields, AreThoseThatWereSentAndNotStored) {
  const auto dropped = [](const char* sent, const char* stored) {
    return dropped_fields(*read_json(sent), *read_json(stored));
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(dropped(R"({"spec": {"completionMode": "Indexed", "backoffLimit": 0}})",
                    R"({"spec": {"parallelism": 1}, "status": {}})"),
            Paths{"spec.completionMode"});
  EXPECT_EQ(
      dropped(R"({"spec": {"containers": [{"name": "b", "env": [{"name": "X", "foo": 1}]}]}})",
              R"({"spec": {"containers": [{"name": "a"},
                        {"name": "b", "env": [{"name": "X"}], "image": "i"}]}})"),
      Paths{"spec.containers[b].env[X].foo"});
  EXPECT_EQ(
      dropped(R"({"a": {}, "b": [], "c": "", "d": false, "e": null, "f": [1, 2], "g": "1000m"})",
              R"({"f": [1], "g": "1"})"),
      Paths{"f[1]"});
  EXPECT_EQ(dropped(R"({"a": {"b": false, "c": {}}})", "{}"), Paths{});
  EXPECT_EQ(dropped(R"({"stringData": {"a": "b"}})", R"({"data": {"a": "Yg=="}})"), Paths{});
}

}  // namespace
}  // namespace muster::kubernetes
