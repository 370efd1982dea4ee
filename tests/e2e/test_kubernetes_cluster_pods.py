"""Tests of the test cluster itself, with nothing but kubectl: what its nodes do with pods."""

# rooms: lab
# needs: kubernetes-nodes

import unittest

from kubernetes_case import POD_SECONDS, why_not
from support import run_tests, until
from test_kubernetes_cluster import OfCluster, job, pod

REASON = why_not(nodes=2)
WAITING = "while ! [ -e /tmp/go ]; do sleep 0.1; done"


@unittest.skipIf(REASON, REASON)
class RealPods(OfCluster):
    options = {"nodes": 2}

    def test_the_pods_of_a_job_talk_across_nodes_and_end(self):
        apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname",
             "labelSelector": {"matchLabels": {"test": "pair"}}}]}}
        # An input that never ends: at the end of its input, which is nobody's, nc would say so to
        # a caller, and that one would leave before it has spoken.
        listens = f"mkfifo /tmp/open; nc -l -p 7000 <>/tmp/open; {WAITING}"
        self.cluster.create(job("pair", 2, listens, affinity=apart), user=True)
        pods = until("two running pods", lambda: self._running("pair", 2), POD_SECONDS)
        names = [one["metadata"]["name"] for one in pods]
        addresses = [one["status"]["podIP"] for one in pods]
        self.assertEqual({one["spec"]["nodeName"] for one in pods}, {"node1", "node2"})
        for name in names:
            until(f"{name} listens", lambda name=name: ":7000 " in self._in(name, "netstat -ltn"))
        for name, other in zip(names, reversed(addresses)):
            self._in(name, f"echo hello from {name} | nc {other} 7000")
        for name, other in zip(names, reversed(names)):
            until("what was heard", lambda name=name: self._log(name))
            self.assertEqual(self._log(name), f"hello from {other}\n")
            self._in(name, "touch /tmp/go")
        self.cluster.kubectl("wait", "--for=condition=complete", f"--timeout={POD_SECONDS}s",
                             "job/pair", seconds=POD_SECONDS)

    def _in(self, name, script):
        return self.cluster.kubectl("exec", name, "--", "sh", "-c", script, user=True)

    def _log(self, name):
        return self.cluster.kubectl("logs", name, user=True)

    def _running(self, label, number):
        pods = self.cluster.get("pods", "-l", f"test={label}")
        running = [one for one in pods if one["status"]["phase"] == "Running"]
        return running if len(running) == number else None

    def test_exec_relays_input_output_and_code(self):
        self.cluster.create(pod("open"))
        self.reaches("open", "Running")
        out = self.cluster.kubectl("exec", "-i", "open", "--", "cat", stdin="in\n", user=True)
        self.assertEqual(out, "in\n")
        self.assert_refused("exit code 7", "exec", "open", "--", "sh", "-c", "exit 7", user=True)

    def test_a_memory_limit_kills(self):
        limit = {"resources": {"limits": {"memory": "32Mi"}}}
        self.cluster.create(pod("greedy", "x=a; while :; do x=$x$x; done", container=limit))
        self.reaches("greedy", "Failed")
        ended = self.pod("greedy")["status"]["containerStatuses"][0]["state"]["terminated"]
        self.assertEqual((ended["exitCode"], ended["reason"]), (137, "OOMKilled"))

    def test_an_image_that_cannot_be_pulled(self):
        self.cluster.create(pod("lacking", container={"image": "nowhere.invalid/no/image:1"}))
        until("the kubelet tried", lambda: "waiting" in str(self.pod("lacking")["status"]) and
              "ErrImagePull" in str(self.pod("lacking")["status"]), POD_SECONDS)

    def test_an_evicted_pod_goes(self):
        self.cluster.create(pod("victim"))
        self.reaches("victim", "Running")
        self.cluster.evict("victim")
        until("it is gone", lambda: self.cluster.names() == [], POD_SECONDS)


if __name__ == "__main__":
    run_tests()
