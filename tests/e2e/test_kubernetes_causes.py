"""What a cluster does to the pods of a run, as muster tells it: memory, deletion, lost nodes."""

import os
import re
import unittest

from kubernetes_case import KubernetesCase, why_not
from support import CANNOT_START, UNREACHABLE, run_tests, wait_until

import image

NO_OBJECTS = why_not()
NO_PODS = NO_OBJECTS or why_not(nodes=2)

WAITS = 'echo rank $RANK is here; until [ -e /tmp/go ]; do sleep 0.1; done'
GREEDY = 'if [ "$RANK" = 1 ]; then x=a; while :; do x=$x$x; done; fi; ' + WAITS


@unittest.skipIf(NO_OBJECTS, NO_OBJECTS)
class Made(KubernetesCase):
    """On nodes that are only objects."""

    fake_nodes = 2

    def start(self, *words, **more):
        return self.start_there("submit", "job.yml", "--target", "lab", *words, **more)

    def launcher(self):
        pods = wait_until(lambda: self.pods("launcher"), 60, "the launcher's pod")
        return pods[0]["metadata"]["name"]

    def test_200_workers_are_made_with_one_call(self):
        os.mkdir(os.path.join(self.folder, "bin"))
        calls = os.path.join(self.folder, "calls")
        self.write("bin/kubectl", f'#!/bin/sh\necho "$*" >> {calls}\nexec /usr/bin/kubectl "$@"\n')
        os.chmod(os.path.join(self.folder, "bin/kubectl"), 0o755)
        self.target(muster_image="registry/muster:1")
        self.write_job("true", nodes=200)
        path = os.path.join(self.folder, "bin") + ":" + os.environ["PATH"]
        running = self.start("--detach", before=["env", f"PATH={path}"])
        self.cluster.pretend(self.launcher())
        done = running.finish(150)
        self.assertEqual(done.code, 0, done)
        wait_until(lambda: len(self.pods("worker")) == 200, 60, "200 workers")
        with open(calls, encoding="utf-8") as file:
            creates = [line for line in file if line.startswith("create")]
        self.assertEqual(len(creates), 3, creates)  # the Secret, the launcher, the workers

    def test_a_field_that_an_old_server_drops_is_an_error(self):
        if not self.cluster.is_old():
            self.skipTest("this server knows all fields that muster has")
        self.target(ttl=60)
        self.write_job("true")
        done = self.submits(code=CANNOT_START)
        self.assertRegex(done.errors, r"the server \(v1\.\S+\) does not know "
                         r"spec\.ttlSecondsAfterFinished of Job \S+-launcher")
        self.assert_nothing_there()


@unittest.skipIf(NO_OBJECTS, NO_OBJECTS)
class OnSilentNodes(KubernetesCase):
    """Nobody confirms that a pod has ended."""

    def setUp(self):
        super().setUp()
        self.write_job("true")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.add_fake_nodes(2, confirm=False)

    def submit(self, *words):
        running = self.start_there("submit", "job.yml", "--target", "lab", *words)
        name = wait_until(lambda: [one["metadata"]["name"] for one in self.pods("launcher")
                                   if one["spec"].get("nodeName")], 60, "a launcher's pod")[0]
        return running, name

    def assert_stays(self, done, pod):
        self.assertRegex(done.errors, rf"the launcher \(pod {pod} on fake\d\) stays: its node has "
                         "not said that it has ended it")
        self.assertIn("--force", done.errors)

    def test_an_interrupted_submission_names_the_pod_that_stays(self):
        running, pod = self.submit()
        running.send(2)
        done = running.finish(120)
        self.assertNotEqual(done.code, 0)
        self.assert_stays(done, pod)

    def test_stop_and_rm_name_the_pod_that_stays(self):
        self.target(muster_image="registry/muster:1")
        running, pod = self.submit("--detach")
        self.cluster.pretend(pod)
        self.assertEqual(running.finish(60).code, 0)
        for verb in ("stop", "rm"):
            done = self.there(verb, "last", seconds=150)
            self.assertEqual(done.code, UNREACHABLE, done)
            self.assert_stays(done, pod)


class InPods(KubernetesCase):
    nodes = 2
    images = ("no-pmix",)

    def submit(self, command, **limits):
        """A job of two workers that cannot be on one node."""
        limits = {"cpu": f"{os.cpu_count() * 600}m", **limits}
        self.target(image=image.reference(self.images[0]), resources={"worker": {"limits": limits}})
        self.write_job(command)
        return self.start_there("submit", "job.yml", "--target", "lab")

    def names(self, role):
        """Its pods, each with its node."""
        return {one["metadata"]["name"]: one["spec"].get("nodeName") for one in self.pods(role)}

    def wait_for_ranks(self):
        """The worker's pod that is not on the launcher's node, with its own node."""
        def told():
            launchers = self.names("launcher")
            said = launchers and self.cluster.try_kubectl("logs", *launchers)
            return said and len(re.findall("rank . is here", said)) == 2
        wait_until(told, 90, "both ranks speak")
        (home,) = self.names("launcher").values()
        return next(found for found in self.names("worker").items() if found[1] != home)

    def assert_told(self, done, pattern):
        """By the client, and by all who ask later."""
        self.assertNotEqual(done.code, 0, done)
        self.assertRegex(done.errors, pattern)
        for verb in ("show", "report"):
            told = self.there(verb, "last")
            self.assertRegex(told.text + told.errors, pattern)
        self.assertRegex(self.there("wait", "last").errors, pattern)


@unittest.skipIf(NO_PODS, NO_PODS)
class Ended(InPods):
    def test_memory(self):
        done = self.submit(GREEDY, memory="160Mi").finish(120)
        self.assert_told(done, r"worker 1 \(pod \S+-worker-1\S* on node\d\) was ended for want of "
                         r"memory \(its limit is 160Mi\)")
        self.removes()

    def test_a_pod_that_somebody_deletes(self):
        running = self.submit(WAITS)
        pod, node = self.wait_for_ranks()
        self.cluster.kubectl("delete", "pod", pod, "--wait=false")
        self.assert_told(running.finish(90), rf"worker \d \(pod {pod} on {node}\) was deleted")
        self.removes()


@unittest.skipIf(NO_PODS, NO_PODS)
class Lost(InPods):
    """The cluster is of no use afterwards."""

    def test_a_node_that_is_lost(self):
        running = self.submit(WAITS)
        pod, node = self.wait_for_ranks()
        self.cluster.lab.pull_cable(node)
        self.assert_told(running.finish(120), rf"worker \d \(pod {pod} on {node}\) "
                         "(was lost with its node|is on a node that does not answer)")
        done = self.there("rm", "last", seconds=120)
        self.assertEqual(done.code, UNREACHABLE, done)
        self.assertRegex(done.errors,
                         rf"worker \d \(pod {pod} on {node}\) stays: its node does not answer")


if __name__ == "__main__":
    run_tests()
