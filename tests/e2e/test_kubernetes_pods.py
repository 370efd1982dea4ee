"""Jobs in real pods: a launcher and workers on two nodes, their output, and a client that dies."""

# rooms: cluster kubernetes link cli
# needs: kubernetes-nodes

import json
import re
import signal
import unittest

from kubernetes_case import POD_SECONDS, KubernetesCase, why_not
from support import CANNOT_START, run_tests, until

import image

REASON = why_not(nodes=2)

# A rank that says where it is and waits until the test touches /tmp/go in its pod.
WAITS = ('echo rank $RANK of $WORLD_SIZE on $(hostname); '
         'until [ -e /tmp/go ]; do sleep 0.1; done; echo rank $RANK goes')


class OnPods(KubernetesCase):
    options = {"nodes": 2}
    images = ("no-pmix",)  # small, with a bash

    def setUp(self):
        super().setUp()
        self.target(image=image.reference(self.images[0]))

    def submit_waiting(self, *words, nodes=2):
        """A job whose ranks run and wait."""
        self.write_job(WAITS, nodes=nodes)
        running = self.start_there("submit", "job.yml", "--target", "lab", *words)
        pods = until("running workers", lambda: self.ready_workers(nodes), POD_SECONDS)
        self.logs_until(r"rank \d of", nodes)
        return running, pods

    def ready_workers(self, number):
        pods = [one["metadata"]["name"] for one in self.pods("worker")
                if one["status"]["phase"] == "Running"]
        return pods if len(pods) == number else None

    def launcher(self):
        return self.pods("launcher")[0]["metadata"]["name"]

    def logs_until(self, pattern, times):
        """The launcher's output, once all ranks have spoken."""
        def told():
            text = self.cluster.kubectl("logs", self.launcher())
            return text if len(re.findall(pattern, text)) >= times else None
        return until(f"{times} times {pattern!r}", told, POD_SECONDS)

    def go(self, pods):
        for pod in pods:
            self.cluster.kubectl("exec", pod, "--", "touch", "/tmp/go")

    def assert_ended(self):
        """No container of the run goes on, though its objects are still there."""
        def going():
            return [one["metadata"]["name"] for one in self.pods("worker") + self.pods("launcher")
                    if one["status"]["phase"] in ("Running", "Pending")]
        until(lambda: f"pods have ended: {going()}", lambda: not going(), POD_SECONDS)


@unittest.skipIf(REASON, REASON)
class Lives(OnPods):
    def test_ranks_in_two_pods_and_their_output(self):
        self.write_job("echo rank $RANK of $WORLD_SIZE on $(hostname)", per_node=2)
        done = self.submits()
        found = re.findall(r"rank (\d) of 4 on (\S+)", done.text)
        self.assertEqual(sorted(rank for rank, _ in found), list("0123"), done)
        self.assertEqual(len({host for _, host in found}), 2, done)
        self.assertIn("completed", self.there("ps").text)
        self.removes()

    def test_the_code_of_a_rank_is_the_run_s(self):
        self.write_job('test "$RANK" = 0 || exit 7; sleep 60')
        done = self.submits(code=7)
        self.assertRegex(done.errors, r"rank 1 on \S+worker\S* exited with code 7")
        self.assert_ended()
        self.removes()

    def test_a_killed_client_comes_back(self):
        running, pods = self.submit_waiting()
        running.send(signal.SIGKILL)
        running.finish()
        self.assertIn("running", self.there("ps").text)
        self.assertEqual(self.there("logs", "--since", "1h", "last").code, 0)
        self.go(pods)
        self.assertEqual(self.there("wait", "last").code, 0)
        self.assertRegex(self.there("logs", "last").text, "rank 1 goes")
        record = json.loads(self.there("show", "--json", "last").text)
        self.assertLessEqual(record["created"], record["started"])
        self.assertLessEqual(record["started"], record["ended"])
        self.assertRegex(self.there("logs", "--since", "1h", "last").text, "rank 1 goes")
        self.assertEqual(self.there("logs", "--since", "2099-01-01", "last").text, "")
        self.removes()

    def test_an_image_that_cannot_be_pulled(self):
        self.target(image="nowhere.invalid/no/image:1")
        self.write_job("true")
        done = self.submits(code=CANNOT_START)
        self.assertRegex(done.errors, r"the launcher \(pod \S+ on node\d\) cannot pull its image: "
                         r".*nowhere")
        self.assert_nothing_there()


if __name__ == "__main__":
    run_tests()
