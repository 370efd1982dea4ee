"""A cluster that loses a node, its server, or who made it; each test has one for itself."""

# rooms: cluster kubernetes cli
# long
# needs: kubernetes-own

import os
import signal
import subprocess
import unittest

from kubernetes_case import POD_SECONDS, why_not
from support import (PYTHON, ROOT, UNREACHABLE, WAIT_SECONDS, lab_module, new_mark, run_tests,
                     until)
from test_kubernetes_causes import WAITS, InPods
from test_kubernetes_cluster import OfCluster, pod

REASON = why_not()
NO_PODS = REASON or why_not(nodes=2)


def remains(folder):
    """What a cluster would leave on this machine."""
    cgroup = os.path.basename(folder)
    paths = [f"/sys/fs/cgroup/{entry}/{cgroup}" for entry in os.listdir("/sys/fs/cgroup")]
    with open("/proc/mounts", encoding="utf-8") as file:
        mounts = [line for line in file if folder in line]
    return [path for path in [folder, *paths] if os.path.exists(path)] + mounts


@unittest.skipIf(NO_PODS, NO_PODS)
class LostNode(OfCluster):
    options = {"nodes": 2, "losable": True}
    own = True

    def test_its_pods_are_given_up_long_before_the_usual_five_minutes(self):
        self.spend_service()
        self.cluster.create(pod("there", nodeSelector={"kubernetes.io/hostname": "node2"}))
        self.cluster.create(pod("here", nodeSelector={"kubernetes.io/hostname": "node1"}))
        self.reaches("there", "Running")
        self.reaches("here", "Running")
        self.cluster.lose_node("node2")
        until("given up", lambda: not self._kept("there"))
        self.assertFalse(self.cluster.is_ready("node2"))
        self.assertTrue(self._kept("here"))

    def _kept(self, name):
        return any(one["metadata"]["name"] == name and "deletionTimestamp" not in one["metadata"]
                   for one in self.cluster.get("pods"))


@unittest.skipIf(REASON, REASON)
class LostServer(OfCluster):
    own = True

    def test_the_server_goes_and_comes_back_with_its_objects(self):
        self.cluster.create(pod("lasting"))
        self.cluster.stop_api()
        try:
            self.assert_refused("refused", "get", "pods", user=True)
        finally:
            self.cluster.start_api()
        self.assertEqual(self.cluster.names(), ["lasting"])


@unittest.skipIf(NO_PODS, NO_PODS)
class LostWithRun(InPods):
    own = True
    options = {**InPods.options, "losable": True}

    def test_a_node_that_is_lost(self):
        self.spend_service()
        running = self.submit(WAITS)
        gone, node = self.wait_for_ranks()
        self.cluster.lab.pull_cable(node)
        self.assert_told(running.finish(POD_SECONDS), rf"worker \d \(pod {gone} on {node}\) "
                         "(was lost with its node|is on a node that does not answer)")
        done = self.there("rm", "last")
        self.assertEqual(done.code, UNREACHABLE, done)
        self.assertRegex(done.errors,
                         rf"worker \d \(pod {gone} on {node}\) stays: its node does not answer")


@unittest.skipIf(NO_PODS, NO_PODS)
class Leftovers(unittest.TestCase):
    """A cluster whose maker ends, however that ends, ends with it."""

    MAKER = ("import signal, sys; sys.path.insert(0, sys.argv[1]); import kubernetes as k\n"
             "with k.Cluster(1) as cluster:\n"
             "    cluster.kubectl('run', 'left', f'--image={k.BOX}', '--restart=Never',\n"
             "                    '--', 'sleep', sys.argv[2])\n"
             "    cluster.kubectl('wait', '--for=condition=ready', 'pod/left', '--timeout=300s',\n"
             "                    seconds=300)\n"
             "    print(cluster.folder, flush=True); signal.pause()\n")

    def _made(self, mark):
        maker = subprocess.Popen([PYTHON, "-c", self.MAKER, f"{ROOT}/tests/lab", mark],
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(maker.stdout.close)
        self.addCleanup(self._end, maker)
        folder = maker.stdout.readline().strip()
        # A container is ready a moment before it executes its command.
        until("the pod's command runs", lambda: self._sleeping(mark))
        self.assertNotEqual(remains(folder), [])
        return maker, folder

    @staticmethod
    def _end(maker):
        """With its cluster, also after a test that has failed."""
        if maker.poll() is None:
            maker.terminate()
            maker.wait(WAIT_SECONDS)

    def _sleeping(self, mark):
        wanted = f"sleep\0{mark}\0".encode()
        return [pid for pid in lab_module._pids() if lab_module._read(pid, "cmdline") == wanted]

    def _ended_by(self, number, mark):
        before = self._interfaces()
        maker, folder = self._made(mark)
        maker.send_signal(number)
        maker.wait(WAIT_SECONDS)
        until(lambda: f"nothing of {folder}: {remains(folder)} {self._sleeping(mark)}",
              lambda: not remains(folder) and not self._sleeping(mark))
        self.assertEqual(self._interfaces(), before)

    @staticmethod
    def _interfaces():
        """Those of this machine that have names as in a cluster."""
        return {"br0", "p-head", "p-node1", "pods0"}.intersection(os.listdir("/sys/class/net"))

    def test_nothing_is_left_after_sigterm(self):
        self._ended_by(signal.SIGTERM, new_mark())

    def test_nothing_is_left_when_the_test_is_killed(self):
        self._ended_by(signal.SIGKILL, new_mark())


if __name__ == "__main__":
    run_tests()
