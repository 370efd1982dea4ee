"""muster submit to a target with operator: what the pods print that the operator makes."""

# rooms: cluster kubernetes cli
# needs: kubernetes-nodes

import unittest

from kubernetes_case import POD_SECONDS, why_not
from support import run_tests, until
from test_kubernetes_operators import ActingCase

REASON = why_not(nodes=2)


@unittest.skipIf(REASON, REASON)
class RealPods(ActingCase):
    options = {"nodes": 2}

    def begin_pod(self, made, name, script):
        """What the operator would make of the master's template, with a script of the test's."""
        master = made["spec"]["pytorchReplicaSpecs"]["Master"]["template"]
        pod = {"apiVersion": "v1", "kind": "Pod", **master, "metadata": {
            "name": name, "labels": master["metadata"]["labels"]}}
        main = pod["spec"]["containers"][0]
        main["command"] = ["sh", "-c", script]
        main.pop("workingDir", None)
        pod["spec"]["restartPolicy"] = "Never"
        self.cluster.create(pod)

    def test_what_its_pods_have_printed_and_the_code_of_one_that_failed(self):
        run, made = self.begin()
        self.begin_pod(made, "master-0", "echo said; exit 3")
        until("the pod has ended", lambda: self.cluster.get(
            "pod", "master-0")["status"]["phase"] == "Failed", POD_SECONDS)
        self.assertEqual(self.there("logs", run).text, "said\n")
        self.says(made, "Failed", "master 0 has failed")
        done = self.there("wait", run)
        self.assertEqual(done.code, 3, done)
        self.assertIn("master 0 has failed", done.errors)
        self.assertEqual(self.there("logs", run).text, "said\n")  # now from the record

    def test_the_submission_and_logs_follow_what_pods_print(self):
        submitted = self.start_there("submit", "job.yml", "--target", "lab")
        (made,) = until("the object", lambda: self.cluster.get("pytorchjobs"))
        readers = (submitted, self.start_there("logs", "-f", "last"))
        self.begin_pod(made, "master-0", "echo one; sleep 3600")
        for reader in readers:
            self.hears(reader.popen.stdout, "one\n")
        self.begin_pod(made, "worker-0", "echo two; sleep 3600")
        for reader in readers:
            self.hears(reader.popen.stdout, "two\n")
        self.says(made, "Succeeded")  # though its pods go on
        for reader in readers:
            done = reader.finish(POD_SECONDS)
            self.assertEqual((done.code, done.text), (0, ""), done)
        self.assertIn("[pod/worker-0/", self.there("logs", "last").text)


if __name__ == "__main__":
    run_tests()
