"""muster submit to a target with operator: on a real API server; the test acts for the operator."""

# rooms: cluster kubernetes job cli
# needs: kubernetes

import json
import os
import time
import unittest

from kubernetes_case import POD_SECONDS, KubernetesCase, why_not
from support import BAD_FILE, CANNOT_START, ROOT, USAGE, run_tests

REASON = why_not()
ROLE = os.path.join(ROOT, "docs", "kubernetes", "role-operators.yaml")

# Of a training-operator that knows nothing of runPolicy and successPolicy.
OLD_TFJOB = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "tfjobs.kubeflow.org"},
    "spec": {"group": "kubeflow.org", "scope": "Namespaced",
             "names": {"kind": "TFJob", "plural": "tfjobs", "singular": "tfjob"},
             "versions": [{"name": "v1", "served": True, "storage": True,
                           "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                               "spec": {"type": "object", "properties": {"tfReplicaSpecs": {
                                   "type": "object",
                                   "x-kubernetes-preserve-unknown-fields": True}}}}}}}]}}


# As kubernetes-sigs/scheduler-plugins has them, apis/scheduling/v1alpha1/types.go.
POD_GROUPS = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "podgroups.scheduling.x-k8s.io", "annotations": {
        "api-approved.kubernetes.io":
            "https://github.com/kubernetes-sigs/scheduler-plugins/pull/50"}},
    "spec": {"group": "scheduling.x-k8s.io", "scope": "Namespaced",
             "names": {"kind": "PodGroup", "plural": "podgroups", "singular": "podgroup"},
             "versions": [{"name": "v1alpha1", "served": True, "storage": True,
                           "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                               "spec": {"type": "object", "properties": {
                                   "minMember": {"type": "integer"},
                                   "scheduleTimeoutSeconds": {"type": "integer"}}}}}}}]}}


class OperatedCase(KubernetesCase):
    @classmethod
    def add_things(cls):
        with open(ROLE, encoding="utf-8") as file:
            cls.service.create(file.read())
        cls.service.kubectl("create", "rolebinding", "muster-operators",
                            "--role=muster-operators", "--serviceaccount=jobs:muster")

    def setUp(self):
        super().setUp()
        self.target(operator="pytorchjob", code="/code")
        self.write_job("python3 train.py", nodes=3)
        self.write("train.py", "")


@unittest.skipIf(REASON, REASON)
class WithoutOperators(OperatedCase):
    def test_a_kind_that_the_cluster_does_not_have(self):
        done = self.submits(code=CANNOT_START)
        self.assertIn("this cluster has no PyTorchJob (kubeflow.org/v1)", done.errors)
        self.assertIn("training-operator", done.errors)
        self.assert_nothing_there()

    def test_gangs_that_the_cluster_does_not_have(self):
        self.target(gang={"by": "volcano"})
        done = self.submits(code=CANNOT_START)
        self.assertIn("this cluster has no PodGroup (scheduling.volcano.sh/v1beta1)", done.errors)
        self.assertIn("volcano to be installed there, or remove gang:", done.errors)
        self.assert_nothing_there()
        done = self.there("validate", "job.yml", "--target", "lab")
        self.assertEqual(done.code, CANNOT_START, done)
        self.assertIn("this cluster has no PodGroup", done.errors + done.text)

    def test_validate_says_so_beforehand(self):
        done = self.there("validate", "job.yml", "--target", "lab", "--json")
        self.assertEqual(done.code, CANNOT_START, done)
        (told,) = [one for one in json.loads(done.text)["asked"] if one["about"] == "operator"]
        self.assertIs(told["fine"], False)
        self.assertIn("this cluster has no PyTorchJob", told["what"])

    def test_code_that_nobody_brings(self):
        self.target(operator="pytorchjob")
        done = self.submits(code=BAD_FILE)
        self.assertIn("the code cannot be sent to a target with operator: pytorchjob", done.errors)
        self.assertIn("kubernetes: {code: FOLDER}", done.errors)

    def test_a_job_of_another_kind(self):
        self.write_job("./solve", kind="mpi")
        done = self.submits(code=USAGE)
        self.assertIn("a job of type mpi cannot be a PyTorchJob", done.errors)

    def test_a_pipeline_is_refused(self):
        self.write("job.yml", json.dumps({"type": "pipeline", "jobs": {
            "a": {"type": "command", "command": "true"}}}))
        done = self.submits(code=BAD_FILE)
        self.assertIn("carries out single jobs", done.errors)

    def test_images_are_not_sent_from_here(self):
        self.target()
        done = self.submits("--image-from-here", code=USAGE)
        self.assertIn("--image-from-here has no meaning in a cluster", done.errors)
        self.assertIn("registry", done.errors)


class ActingCase(OperatedCase):
    """In a cluster that knows the operators' kinds."""

    @classmethod
    def add_things(cls):
        super().add_things()
        cls.service.create_crds()

    def setUp(self):
        super().setUp()
        self.addCleanup(self.clear)

    def clear(self):
        self.cluster.kubectl("delete", "pytorchjobs,mpijobs,tfjobs,jobsets", "--all")
        self.cluster.kubectl("delete", "configmaps", "-l", "app.kubernetes.io/managed-by=muster")

    def begin(self):
        """Submits; the run's name, and the PyTorchJob that was made for it."""
        done = self.submits("--detach")
        (made,) = self.cluster.get("pytorchjobs")
        self.assertIn(f"get pytorchjobs.kubeflow.org/{made['metadata']['name']} shows it",
                      done.errors)
        return done.text.strip(), made

    def says(self, made, kind, message="It is so."):
        """What the operator would write into the status."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        condition = {"type": kind, "status": "True", "reason": kind, "message": message,
                     "lastTransitionTime": now, "lastUpdateTime": now}
        name = made["metadata"]["name"]
        found = self.cluster.get("pytorchjob", name)
        found["status"] = {"conditions": [condition], "replicaStatuses": {}}
        path = f"/apis/kubeflow.org/v1/namespaces/jobs/pytorchjobs/{name}/status"
        self.cluster.kubectl("replace", "--raw", path, "-f", "-", stdin=json.dumps(found))

    def state(self, run, **more):
        done = self.there("show", run, "--json", **more)
        self.assertEqual(done.code, 0, done)
        return json.loads(done.text)


@unittest.skipIf(REASON, REASON)
class Operators(ActingCase):
    def test_validate_asks_for_the_operator_s_object(self):
        done = self.there("validate", "job.yml", "--target", "lab", "--json")
        self.assertEqual(done.code, 0, done)
        told = {one["about"]: one for one in json.loads(done.text)["asked"]}
        self.assertEqual(told["operator"]["what"], "the cluster knows pytorchjobs.kubeflow.org")
        self.assertEqual([told[about]["fine"] for about in ("access", "operator", "admission")],
                         [True] * 3)
        self.assertEqual(self.cluster.get("pytorchjobs"), [])

    def test_from_the_submission_to_its_end(self):
        run, made = self.begin()
        replicas = made["spec"]["pytorchReplicaSpecs"]
        self.assertEqual((replicas["Master"]["replicas"], replicas["Worker"]["replicas"]), (1, 2))
        self.assertEqual(self.state(run)["state"], "queued")
        self.says(made, "Running")
        self.assertEqual(self.state(run)["state"], "running")
        waiting = self.start_there("wait", run)
        self.says(made, "Succeeded")
        self.assertEqual(waiting.finish(POD_SECONDS).code, 0)
        self.removes()
        self.assertEqual(self.cluster.get("pytorchjobs"), [])

    def test_a_failure_in_the_operator_s_words(self):
        run, made = self.begin()
        self.says(made, "Failed", "worker 1 has failed.")
        done = self.there("wait", run)
        self.assertEqual(done.code, 1, done)
        told = self.state(run)
        self.assertEqual((told["state"], told["cause"]), ("failed", "worker 1 has failed"))

    def test_stop_deletes_it(self):
        run, _ = self.begin()
        done = self.there("stop", run)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.cluster.get("pytorchjobs"), [])
        self.assertEqual(self.state(run)["state"], "stopped")

    def test_one_that_was_deleted_by_others(self):
        run, made = self.begin()
        self.cluster.kubectl("delete", "pytorchjob", made["metadata"]["name"])
        told = self.state(run)
        self.assertEqual(told["state"], "died")
        self.assertIn("is not in the cluster any more", told["cause"])

    def test_another_machine_finds_it(self):
        run, _ = self.begin()
        elsewhere = {"MUSTER_RECORDS": os.path.join(self.folder, "elsewhere")}
        told = self.there("ps", "--target", "lab", **elsewhere)
        self.assertIn(run, told.text, told)
        self.assertEqual(self.state(run, **elsewhere)["state"], "queued")

    def test_secrets_are_keys_of_the_secret(self):
        self.submits("--detach", "--secret", "TOKEN", TOKEN="abc")
        (secret,) = self.cluster.get("secrets", "-l", "app.kubernetes.io/managed-by=muster")
        self.assertEqual(secret["data"]["TOKEN"], "YWJj")
        (made,) = self.cluster.get("pytorchjobs")
        self.assertNotIn("abc", json.dumps(made["spec"]))

    def test_fields_that_the_server_drops(self):
        self.cluster.kubectl("delete", "crd", "tfjobs.kubeflow.org")
        self.cluster.create(OLD_TFJOB)
        self.cluster.kubectl("wait", "--for=condition=established", "--timeout=180s", "crd",
                             "tfjobs.kubeflow.org")
        self.target(operator="tfjob", code="/code")
        self.write("job.yml", json.dumps({
            "command": "python3 train.py",
            "distribution": {"type": "tensorflow", "worker_count": 2}}))
        done = self.submits(code=CANNOT_START)
        self.assertRegex(done.errors, r"Kubernetes v1\.\d+\S* has dropped spec\.runPolicy, "
                                      r"spec\.successPolicy of TFJob \(kubeflow\.org/v1\)")
        self.assertEqual(self.cluster.get("tfjobs"), [])
        self.assert_nothing_there()

    def test_workers_of_muster_s_own_are_in_a_gang(self):
        self.cluster.create(POD_GROUPS)
        self.addCleanup(self.cluster.kubectl, "delete", "crd", "podgroups.scheduling.x-k8s.io")
        self.cluster.kubectl("wait", "--for=condition=established", "--timeout=180s", "crd",
                             "podgroups.scheduling.x-k8s.io")
        self.target(gang={"by": "scheduler-plugins", "timeout": 60}, code="/code")
        done = self.there("validate", "job.yml", "--target", "lab", "--json")
        told = {one["about"]: one for one in json.loads(done.text)["asked"]}
        self.assertIs(told["operator"]["fine"], True, done)
        self.assertIs(told["access"]["fine"], True, done)
        self.assertIs(told["admission"]["fine"], True, done)

    def test_the_other_kinds_are_taken(self):
        for operator, kind in (("mpijob", "mpi"), ("jobset", "pytorch")):
            self.target(operator=operator, code="/code", muster_image="registry/muster:1")
            self.write_job("./solve", nodes=2, kind=kind)
            done = self.submits("--detach")
            self.assertEqual(len(self.cluster.get(operator + "s")), 1, done)
            self.assertEqual(self.there("stop", "last").code, 0)
            self.removes()
            self.assertEqual(self.cluster.get(operator + "s"), [])


if __name__ == "__main__":
    run_tests()
