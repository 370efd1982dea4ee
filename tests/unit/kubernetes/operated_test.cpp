// How far jobs of operators are, as their status tells.
#include "kubernetes/operated.hpp"

#include <gtest/gtest.h>

#include "kubernetes/state.hpp"

namespace muster::kubernetes {
namespace {

OperatedState operated_state(const char* status) {
  return read_operated(*read_json(std::string(R"({"status": )") + status + "}"));
}

TEST(OperatedJobs, AreKnownByTheirResources) {
  const Value job = *read_json(R"({"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob"})");
  EXPECT_EQ(resource_of(job), "mpijobs.kubeflow.org");
  EXPECT_EQ(operator_of(job), "mpi-operator");
  EXPECT_EQ(operator_of(*read_json(R"({"kind": "TFJob"})")), "training-operator");
  EXPECT_EQ(operator_of(*read_json(
                R"({"kind": "PodGroup", "apiVersion": "scheduling.volcano.sh/v1beta1"})")),
            "volcano");
  const std::vector<Value> all = {*read_json(R"({"apiVersion": "v1", "kind": "ConfigMap"})"), job};
  EXPECT_EQ(resource_of(all.front()), "configmaps");
  EXPECT_EQ(&carried_out(all), &all.back());
}

TEST(OperatedJobs, AreQueuedUntilTheirPodsRun) {
  EXPECT_EQ(read_operated(object()), (OperatedState{Stage::queued, ""}));
  EXPECT_EQ(operated_state(R"({"conditions": [
    {"type": "Created", "status": "True", "message": "MPIJob a is created."}]})"),
            (OperatedState{Stage::queued, "MPIJob a is created"}));
  EXPECT_EQ(operated_state(R"({"conditions": [
    {"type": "Created", "status": "True"},
    {"type": "Running", "status": "True", "reason": "JobRunning"}]})"),
            (OperatedState{Stage::running, "JobRunning"}));
}

TEST(OperatedJobs, EndAsTheirLastConditionSays) {
  EXPECT_EQ(operated_state(R"({"conditions": [
    {"type": "Failed", "status": "True", "message": "worker 1\nfailed"},
    {"type": "Running", "status": "False"}]})"),
            (OperatedState{Stage::failed, "worker 1 failed"}));
  EXPECT_EQ(operated_state(R"({"conditions": [
    {"type": "Running", "status": "False"}, {"type": "Succeeded", "status": "True"}]})")
                .stage,
            Stage::succeeded);
}

TEST(OperatedJobs, OfJobSetsRunWhileTheirJobsDo) {
  EXPECT_EQ(operated_state(R"({"replicatedJobsStatus": [{"active": 0}, {"active": 1}]})").stage,
            Stage::running);
  EXPECT_EQ(operated_state(R"({"replicatedJobsStatus": [{"active": 0}]})").stage, Stage::queued);
  EXPECT_EQ(operated_state(R"({"replicatedJobsStatus": [{"active": 1}],
    "conditions": [{"type": "Completed", "status": "True"}]})")
                .stage,
            Stage::succeeded);
}

TEST(OperatedJobs, OfKubeflowTrainerRunWhileTheirJobsDo) {
  const Value job =
      *read_json(R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob"})");
  EXPECT_EQ(resource_of(job), "trainjobs.trainer.kubeflow.org");
  EXPECT_EQ(operator_of(job), "Kubeflow Trainer");
  EXPECT_EQ(operated_state(R"({"jobsStatus": [{"name": "node", "active": 1}]})").stage,
            Stage::running);
  EXPECT_EQ(operated_state(R"({"conditions": [
    {"type": "Suspended", "status": "False"}, {"type": "Complete", "status": "True"}]})")
                .stage,
            Stage::succeeded);
}

}  // namespace
}  // namespace muster::kubernetes
