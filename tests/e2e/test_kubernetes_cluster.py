"""Tests of the test cluster itself, with nothing but kubectl: what is there without any node."""

# rooms: lab
# needs: kubernetes

import unittest

from kubernetes_case import POD_SECONDS, ClusterCase, why_not
from support import run_tests, until

from kubernetes import BOX, Refused

REASON = why_not()


def pod(name, script="sleep 1000", **spec):
    container = {"name": "main", "image": BOX, "command": ["sh", "-c", script]}
    container.update(spec.pop("container", {}))
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"containers": [container], "restartPolicy": "Never",
                     "terminationGracePeriodSeconds": 0, **spec}}


def job(name, pods, script="true", **spec):
    template = {"metadata": {"labels": {"test": name}}, "spec": pod("", script, **spec)["spec"]}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"parallelism": pods, "completions": pods, "backoffLimit": 0,
                     "template": template}}


class OfCluster(ClusterCase):
    def pod(self, name):
        return self.cluster.get("pod", name)

    def reaches(self, name, phase):
        until(f"{name}: {phase}", lambda: self.pod(name)["status"]["phase"] == phase, POD_SECONDS)

    def assert_refused(self, pattern, *words, **more):
        with self.assertRaisesRegex(Refused, pattern):
            self.cluster.kubectl(*words, **more)


@unittest.skipIf(REASON, REASON)
class ObjectsOnly(OfCluster):
    fake_nodes = 3

    def test_what_a_test_might_leave_is_seen_by_the_check_after_it(self):
        self.assertEqual(self.cluster.unsettled(), "")
        self.cluster.kubectl("create", "configmap", "stray")
        self.addCleanup(self.cluster.kubectl, "delete", "configmap", "stray")
        self.assertEqual(self.cluster.unsettled(), "left: configmap/stray; not ready: ")

    def placed(self, label):
        return [one for one in self.cluster.get("pods", "-l", f"test={label}")
                if one["spec"].get("nodeName")]

    def test_the_scheduler_places_the_pods_of_a_job(self):
        self.cluster.create(job("two", 2), user=True)
        pods = until("both pods are placed", lambda: self.placed("two")[1:])
        self.assertIn(pods[0]["spec"]["nodeName"], ("fake0", "fake1", "fake2"))

    def test_200_pods_are_placed(self):
        self.cluster.create(job("many", 200))
        until("200 placed pods", lambda: len(self.placed("many")) == 200, POD_SECONDS)

    def test_what_no_node_can_hold_is_told_in_an_event(self):
        self.cluster.create(pod("huge", container={"resources": {"requests": {"cpu": "99"}}}))
        found = until("an event", lambda: self.cluster.get(
            "events", "--field-selector=involvedObject.name=huge,reason=FailedScheduling"))
        self.assertIn("3 Insufficient cpu", found[0]["message"])

    def test_the_role_of_the_manual_is_all_that_the_account_has(self):
        for verb, thing in (("create", "jobs.batch"), ("watch", "pods"), ("delete", "secrets"),
                            ("list", "configmaps"), ("get", "pods/log"), ("create", "pods/exec"),
                            ("watch", "events"), ("create", "services")):
            self.assertEqual(self.cluster.kubectl("auth", "can-i", verb, thing, user=True), "yes\n")
        self.assert_refused("cannot list resource \"nodes\"", "get", "nodes", user=True)
        self.assert_refused("forbidden", "get", "pods", "-n", "default", user=True)
        self.assert_refused("forbidden", "create", "deployment", "d", "--image=x", user=True)
        self.assert_refused("cannot patch", "label", "configmap", "kube-root-ca.crt", "a=b",
                            user=True)

    def test_a_quota_refuses(self):
        self.cluster.set_quota(pods=1)
        try:
            self.cluster.create(pod("first"), user=True)
            with self.assertRaisesRegex(Refused, "exceeded quota: quota, requested: pods=1"):
                self.cluster.create(pod("second"), user=True)
        finally:
            self.cluster.remove_quota()

    def test_a_dry_run_leaves_nothing(self):
        stored = self.cluster.create(job("dry", 2), "--dry-run=server", user=True)
        self.assertEqual(stored["spec"]["parallelism"], 2)
        self.assertEqual(self.cluster.names("jobs"), [])

    def test_the_resources_of_operators_are_there_and_check_types(self):
        self.addCleanup(self.cluster.kubectl, "delete", "crd", "--all")
        left_out = self.cluster.create_crds()
        self.assertEqual(set(left_out), {"jobset", "mpijob", "pytorchjob", "tfjob"})
        self.assertEqual((left_out["jobset"], left_out["mpijob"]), ("", ""))
        if not self.cluster.is_old():
            self.assertEqual(set(left_out.values()), {""})
        worker = {"replicas": "two", "template": pod("")}
        with self.assertRaisesRegex(Refused, r"mpiReplicaSpecs.Worker.replicas.*type integer"):
            self.cluster.create({"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob",
                                 "metadata": {"name": "wrong"},
                                 "spec": {"mpiReplicaSpecs": {"Worker": worker}}},
                                "--validate=false")
        worker = {"replicas": 2, "template": {"spec": pod("")["spec"]}}
        made = self.cluster.create({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob",
                                    "metadata": {"name": "right"},
                                    "spec": {"pytorchReplicaSpecs": {"Worker": worker}}})
        self.assertEqual(made["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"], 2)


if __name__ == "__main__":
    run_tests()
