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

TEST(OperatedJobs, TellWhenTheyStartedAndEnded) {
  const auto at = [](int minute) {
    using namespace std::chrono;
    return model::Utc(sys_days(year(2026) / 11 / 23) + hours(10) + minutes(minute));
  };
  const std::string conditions = R"("conditions": [
    {"type": "Running", "status": "True", "lastTransitionTime": "2026-11-23T10:02:00Z"},
    {"type": "Succeeded", "status": "True", "lastTransitionTime": "2026-11-23T10:08:00Z"}])";
  const OperatedState told = operated_state(("{" + conditions + "}").c_str());
  EXPECT_EQ(told.started, at(2));
  EXPECT_EQ(told.ended, at(8));
  const OperatedState better = operated_state(
      (R"({"startTime": "2026-11-23T10:01:00Z", "completionTime": "2026-11-23T10:07:00Z", )" +
       conditions + "}")
          .c_str());
  EXPECT_EQ(better.started, at(1));
  EXPECT_EQ(better.ended, at(7));
  EXPECT_FALSE(operated_state(R"({"startTime": "2026-11-23T10:01:00Z"})").started);
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
