"""What a cluster does to the pods of a run, as muster tells it: memory, deletion."""

# rooms: cluster kubernetes cli
# needs: kubernetes-nodes

import os
import re
import unittest

from kubernetes_case import POD_SECONDS, KubernetesCase, why_not
from support import run_tests, until

import image

REASON = why_not(nodes=2)

WAITS = 'echo rank $RANK is here; until [ -e /tmp/go ]; do sleep 0.1; done'
GREEDY = 'if [ "$RANK" = 1 ]; then x=a; while :; do x=$x$x; done; fi; ' + WAITS


class InPods(KubernetesCase):
    options = {"nodes": 2}
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
        until("both ranks speak", told, POD_SECONDS)
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


@unittest.skipIf(REASON, REASON)
class Ended(InPods):
    def test_memory(self):
        done = self.submit(GREEDY, memory="160Mi").finish(POD_SECONDS)
        self.assert_told(done, r"worker 1 \(pod \S+-worker-1\S* on node\d\) was ended for want of "
                         r"memory \(its limit is 160Mi\)")
        self.removes()

    def test_a_pod_that_somebody_deletes(self):
        running = self.submit(WAITS)
        pod, node = self.wait_for_ranks()
        self.cluster.kubectl("delete", "pod", pod, "--wait=false")
        self.assert_told(running.finish(POD_SECONDS),
                         rf"worker \d \(pod {pod} on {node}\) was deleted")
        self.removes()


if __name__ == "__main__":
    run_tests()
